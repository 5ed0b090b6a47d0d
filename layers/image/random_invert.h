// RandomInvert: some images as negatives.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct RandomInvertConfig {
  Numbers factor = 1.0;  ///< [low, high] of the probability; one number f means [0, f]
  std::vector<double> value_range = {0, 255};
  std::optional<int64_t> seed = {};
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Each image x, with a random probability, as high - x. Only in training.
class RandomInvertLayer : public ImageLayerOf<RandomInvertLayer, RandomInvertConfig> {
 public:
  explicit RandomInvertLayer(RandomInvertConfig config);
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using RandomInvert = Ref<RandomInvertLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomInvertLayer, layers::RandomInvertConfig>;
}
