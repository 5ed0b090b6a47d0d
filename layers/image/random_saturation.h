// RandomSaturation: images with weaker or stronger colors at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomSaturation.
struct RandomSaturationConfig {
  Required<Numbers> factor;  ///< [low, high] in [-1, 1]; one number f means [-f, f]
  /// Lowest and highest value of a pixel.
  std::vector<double> value_range = {0, 255};
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Multiplies the saturation of each image by f / (1 - f) for a random factor f: 0 gives gray, 0.5
/// changes nothing, 1 makes colors as strong as can be. Only in training. Throws ValueError for
/// integers.
class RandomSaturationLayer : public ImageLayerOf<RandomSaturationLayer, RandomSaturationConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [-1, 1], a value_range of other than two
  /// numbers, or an unknown data_format.
  explicit RandomSaturationLayer(RandomSaturationConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

/// A shared RandomSaturationLayer, made from its options.
using RandomSaturation = Ref<RandomSaturationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomSaturationLayer, layers::RandomSaturationConfig>;
}
