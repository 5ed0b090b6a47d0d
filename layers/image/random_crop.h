// RandomCrop: parts of images, cut out at a random place.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomCrop.
struct RandomCropConfig {
  Required<int64_t> height;          ///< rows of the result
  Required<int64_t> width;           ///< columns of the result
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// A part of height x width, at one random place for the whole batch in training. Otherwise, and
/// where images are not larger on both axes, the middle of images in the ratio of the sides,
/// resized to height x width where it differs. Throws ValueError unless height and width are
/// positive.
class RandomCropLayer : public ImageLayerOf<RandomCropLayer, RandomCropConfig> {
 public:
  /// Throws ValueError unless height and width are positive and data_format is known. A seed that
  /// is chosen here is kept in the options, as in Keras.
  explicit RandomCropLayer(RandomCropConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
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

using RandomCrop = Ref<RandomCropLayer>;  ///< a shared RandomCropLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomCropLayer, layers::RandomCropConfig>;
}
