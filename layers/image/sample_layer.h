// Base of layers whose kernel changes one sample at a time, for batches too.
#pragma once
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/random/seed.h"
#include "image_layer.h"

namespace cornu::layers {

/// Changes images (n, h, w, c) one by one, as `layer` changes samples: image i draws from part i of
/// the key, uint32 (2). The results have `output` rows and columns.
Tensor change_one_by_one(const data::Augmenter& layer, const Tensor& images, const Tensor& key,
                         std::pair<int64_t, int64_t> output);
/// The same for masks (n, h, w, c), any dtype, which are resampled by nearest pixels.
Tensor change_masks_one_by_one(const data::Augmenter& layer, const Tensor& masks, const Tensor& key,
                               std::pair<int64_t, int64_t> output);
/// The same for boxes (n, boxes, 4) with labels of images of a size.
Nest change_boxes_one_by_one(const data::Augmenter& layer, const Nest& boxes, const Tensor& key,
                             int64_t height, int64_t width, const std::string& format);

/// A layer that overrides `augment` and, when images get another size, `output_size`. On batches it
/// works on the host, image by image; such work has no gradient.
template <class Self, class C>
class SampleLayerOf : public ImageLayerOf<Self, C> {
 public:
  /// Throws ValueError for data_format "channels_first", which samples do not have.
  explicit SampleLayerOf(C c)
      : ImageLayerOf<Self, C>(std::move(c)), seeds_(this->add_seed_generator(this->config.seed)) {
    if (this->images_channels_first())
      throw ValueError("data_format: this layer takes channels last only.");
  }
  /// {"key": (2)}, from which each image's draws follow.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override {
    if (!training && !always()) return {};
    return {.values = {{"key", (seed ? *seed : seeds_).next()}},
            .input_shape = images_of(data).shape()};
  }
  /// Each image by `augment`, as float32.
  Tensor transform_images(const Tensor& images, const Transformation& drawn, bool = true) override {
    const Tensor x = ops::cast(images, DType::float32);
    if (drawn.empty()) return x;
    return change_one_by_one(*this, x, drawn["key"], output_size(x.shape()[1], x.shape()[2]));
  }
  /// Each mask by `augment`, with the draws of its image.
  Tensor transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                      bool = true) override {
    if (drawn.empty()) return masks;
    return change_masks_one_by_one(*this, masks, drawn["key"],
                                   output_size(masks.shape()[1], masks.shape()[2]));
  }
  /// The boxes of each image by `augment`, with the same draws.
  Nest transform_bounding_boxes(const Nest& boxes, const Transformation& drawn,
                                bool = true) override {
    if (drawn.empty()) return boxes;
    return change_boxes_one_by_one(*this, boxes, drawn["key"], drawn.input_shape.at(-3),
                                   drawn.input_shape.at(-2), *this->boxes_format());
  }

 protected:
  /// Rows and columns of the results for images of a size; by default the same.
  virtual std::pair<int64_t, int64_t> output_size(int64_t height, int64_t width) const {
    return {height, width};
  }
  /// Whether the layer does the same when it is not training.
  virtual bool always() const { return false; }

 private:
  SeedGenerator& seeds_;
};

}  // namespace cornu::layers
