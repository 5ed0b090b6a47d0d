// RandomCrop: parts of images, cut out at a random place.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct RandomCropConfig {
  Required<int64_t> height;
  Required<int64_t> width;
  std::optional<int64_t> seed = {};
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// A part of height x width, at one random place for the whole batch in training. Otherwise, and
/// where images are not larger on both axes, the middle of images in the ratio of the sides,
/// resized to height x width where it differs.
class RandomCropLayer : public ImageLayerOf<RandomCropLayer, RandomCropConfig> {
 public:
  explicit RandomCropLayer(RandomCropConfig config);
  /// {"h_start", "w_start"}, scalar integers, where a place is drawn; else none, and the middle
  /// follows from input_shape.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& transformation,
                          bool training = true) override;
  /// As in Keras, which takes the rows' offset off the first number of a box.
  Nest transform_bounding_boxes(const Nest& bounding_boxes, const Transformation& transformation,
                                bool training = true) override;
  /// Cut as images are, whether training or not.
  Tensor transform_segmentation_masks(const Tensor& segmentation_masks,
                                      const Transformation& transformation,
                                      bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using RandomCrop = Ref<RandomCropLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomCropLayer, layers::RandomCropConfig>;
}
