// RandomContrast: images with more or less contrast at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct RandomContrastConfig {
  Required<Numbers> factor;  ///< [low, high] in [0, 1]; one number f means [0, f]
  std::vector<double> value_range = {0, 255};
  std::optional<int64_t> seed = {};
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Moves the pixels of each channel away from their mean, or toward it, by a random factor in [1 -
/// low, 1 + high), and cuts off what leaves the range of values. Only in training.
class RandomContrastLayer : public ImageLayerOf<RandomContrastLayer, RandomContrastConfig> {
 public:
  explicit RandomContrastLayer(RandomContrastConfig config);
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using RandomContrast = Ref<RandomContrastLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomContrastLayer, layers::RandomContrastConfig>;
}
