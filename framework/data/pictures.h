// Tensors of samples as the pictures that kernels take.
#pragma once
#include <array>
#include <functional>

#include "../../backend/image.h"
#include "sample.h"

namespace cornu::data {

using backend::image::Picture;

/// The tensor, (h, w) or (h, w, c), as a picture. Throws ShapeError that names it as `what` for
/// another rank, and unless `any_dtype` for dtypes other than uint8 and float32; StateError when it
/// is not in the host's memory.
Picture picture_of(const Tensor& tensor, const char* what, bool any_dtype = false);

/// A tensor for a picture of another size, with the rank, channels and dtype of `like` and
/// undefined values.
Tensor empty_like(const Tensor& like, int64_t height, int64_t width);

/// Changes the colors of a sample's image: `change` fills the second picture, of the same form,
/// from the first.
void recolor(Sample& sample, const std::function<void(const Picture&, const Picture&)>& change);

/// The first `rows` rows of a tensor, filled up to that number with a value.
Tensor with_rows(const Tensor& tensor, int64_t rows, double fill_value);

/// Changes each box, {left, top, right, bottom} in pixels, of an image whose size (height, width)
/// becomes another; those that fill up a batch, all -1, stay. A box without an area becomes zeros,
/// and its label -1.
void change_boxes(Sample& sample, std::array<int64_t, 2> size, std::array<int64_t, 2> new_size,
                  const std::function<void(std::array<float, 4>&)>& change);

/// Whether a sample has what lies at places of its image: points, boxes, a mask, depth, or tensors
/// that were attached and follow it.
bool has_places(const Sample& sample);

/// Cuts boxes to a frame in pixels; labels of those of which nothing is left become -1.
void cut_boxes(Sample& sample, double left, double top, double right, double bottom);

/// {left, top, right, bottom} in pixels of what holds all boxes that have an area; the right is not
/// beyond the left when there is none.
std::array<double, 4> frame_of_boxes(const Sample& sample);

/// Puts the boxes of another sample, and their labels, behind those of a sample.
void append_boxes(Sample& sample, const Sample& other);

}  // namespace cornu::data
