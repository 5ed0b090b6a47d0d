// RandomHue: images whose colors are turned at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct RandomHueConfig {
  Required<Numbers> factor;  ///< [low, high] in [0, 1]; one number f means [0, f]
  std::vector<double> value_range = {0, 255};
  std::string data_format = "channels_last";
  std::optional<int64_t> seed = {};
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Turns the hue of each image by a random share of half the circle, to either side. Only in
/// training.
class RandomHueLayer : public ImageLayerOf<RandomHueLayer, RandomHueConfig> {
 public:
  explicit RandomHueLayer(RandomHueConfig config);
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using RandomHue = Ref<RandomHueLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomHueLayer, layers::RandomHueConfig>;
}
