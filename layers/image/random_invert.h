// RandomInvert: some images as negatives.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomInvert.
struct RandomInvertConfig {
  Numbers factor = 1.0;  ///< [low, high] of the probability; one number f means [0, f]
  /// Lowest and highest value of a pixel.
  std::vector<double> value_range = {0, 255};
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image x, with a random probability, as high - x. Only in training.
class RandomInvertLayer : public ImageLayerOf<RandomInvertLayer, RandomInvertConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1], a value_range of other than two
  /// numbers, or an unknown data_format.
  explicit RandomInvertLayer(RandomInvertConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using RandomInvert = Ref<RandomInvertLayer>;  ///< a shared RandomInvertLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomInvertLayer, layers::RandomInvertConfig>;
}
