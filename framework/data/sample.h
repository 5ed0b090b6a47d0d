// Sample: one image and all that belongs to it, as readers make it and augmentation changes it.
#pragma once
#include <map>
#include <string>

#include "../tensor/tensor.h"
#include "dataset.h"

namespace cornu::data {

/// How a tensor of a sample changes when the image is cut, turned or resized.
enum class Follow {
  unchanged,  ///< not at all: labels, numbers
  linear,   ///< as the image, with its interpolation: further views, heat maps, slices of a volume
  nearest,  ///< as the image, each pixel taken from one pixel: classes, depth, identities
  points    ///< as the points: (..., 2), x and y in pixels
};

/// A tensor that the user adds to a sample.
struct Attached {
  Tensor value;                       ///< of images (h, w), (h, w, c) or (slices, h, w, c)
  Follow follow = Follow::unchanged;  ///< how it changes with the image
};

/// One image and all that belongs to it; whatever is not there is an empty tensor. All tensors are
/// in the host's memory. Coordinates are in pixels, x to the right and y down. Points count from
/// the middle of the first pixel: (0, 0) is that pixel. Boxes are made of edges, as in Keras: the
/// whole image is {0, 0, w, h} as "xyxy".
struct Sample {
  Tensor image = {};       ///< (h, w, c), uint8 or float32
  Tensor points = {};      ///< (n, 2) float32: x, y; those outside of the image stay in their rows
  Tensor visible = {};     ///< (n) bool: which points are in the image; empty: all of them
  Tensor boxes = {};       ///< (n, 4) float32 in box_format
  Tensor box_labels = {};  ///< (n); -1 where nothing of the box is left in the image
  Tensor mask = {};        ///< classes of pixels, (h, w) or (h, w, c), uint8, int32 or float32
  Tensor depth = {};       ///< (h, w) or (h, w, 1) float32
  Tensor label = {};       ///< a class, or (classes) as probabilities
  Tensor weight = {};      ///< of the sample in the loss
  std::map<std::string, Attached> more = {};  ///< further tensors, by name
  std::string box_format = "xyxy";            ///< see ops::convert_boxes
  std::string source = {};                    ///< the file it came from, for errors
};

/// A sample of a batch, for Pipeline::batch: x is the image, y what else is there: its label, its
/// mask or its points alone, and of several a dictionary by their names in Sample ("label",
/// "points", "visible", "boxes", "box_labels", "mask", "depth", and those that were attached).
Batch as_batch(const Sample& sample);

/// Bytes of a sample's tensors, as queues of pipelines count them.
int64_t bytes_in(const Sample& sample);

}  // namespace cornu::data
