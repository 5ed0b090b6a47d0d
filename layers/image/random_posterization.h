// RandomPosterization: images with fewer levels of brightness at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct RandomPosterizationConfig {
  /// [low, high) of the number of bits, from 1 to 8; two equal numbers mean that number, one number
  /// f means [1, f).
  Required<std::vector<int64_t>> factor;
  std::vector<double> value_range = {0, 255};
  std::string data_format = "channels_last";
  std::optional<int64_t> seed = {};
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Keeps, as bytes, the highest bits of each value: a random number of them for each image. Only in
/// training.
class RandomPosterizationLayer
    : public ImageLayerOf<RandomPosterizationLayer, RandomPosterizationConfig> {
 public:
  explicit RandomPosterizationLayer(RandomPosterizationConfig config);
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using RandomPosterization = Ref<RandomPosterizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomPosterizationLayer, layers::RandomPosterizationConfig>;
}
