// RandomContrast: images with more or less contrast at random.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct RandomContrastConfig {
  Required<std::vector<double>> factor;  ///< [down, up] in [0, 1]; one number f means both
  std::vector<double> value_range = {0, 255};
  std::optional<int64_t> seed = {};
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Moves the pixels of each channel away from their mean, or towards it, by a random factor in [1 -
/// down, 1 + up), and cuts off what leaves the range of values. Only in training.
class RandomContrastLayer : public LayerOf<RandomContrastLayer, RandomContrastConfig> {
 public:
  explicit RandomContrastLayer(RandomContrastConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  static std::shared_ptr<RandomContrastLayer> from_config(const Value::Dict& dict);

 private:
  SeedGenerator& seeds_;
};

using RandomContrast = Ref<RandomContrastLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomContrastLayer, layers::RandomContrastConfig>;
}
