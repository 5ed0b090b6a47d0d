// RandomSharpness: images blurred or sharpened at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomSharpness.
struct RandomSharpnessConfig {
  Required<Numbers> factor;                    ///< [low, high] in [0, 1]; one number f means [0, f]
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Blends each image x with a blurred one: x + (1 - 2 f) * (blurred - x) for a random factor f: 0
/// gives the blurred image, 0.5 changes nothing, 1 sharpens. Only in training.
class RandomSharpnessLayer : public ImageLayerOf<RandomSharpnessLayer, RandomSharpnessConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1], a value_range of other than two
  /// numbers, or an unknown data_format.
  explicit RandomSharpnessLayer(RandomSharpnessConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

/// A shared RandomSharpnessLayer, made from its options.
using RandomSharpness = Ref<RandomSharpnessLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomSharpnessLayer, layers::RandomSharpnessConfig>;
}
