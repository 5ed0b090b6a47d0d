// RandomBrightness: images made brighter or darker at random.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct RandomBrightnessConfig {
  Required<std::vector<double>> factor;  ///< [low, high] in [-1, 1]; one number f means [-f, f]
  std::vector<double> value_range = {0, 255};
  std::optional<int64_t> seed = {};
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Adds to each image one random share of the range of values, and cuts off what leaves the range.
/// Only in training.
class RandomBrightnessLayer : public LayerOf<RandomBrightnessLayer, RandomBrightnessConfig> {
 public:
  explicit RandomBrightnessLayer(RandomBrightnessConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  static std::shared_ptr<RandomBrightnessLayer> from_config(const Value::Dict& dict);

 private:
  SeedGenerator& seeds_;
};

using RandomBrightness = Ref<RandomBrightnessLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomBrightnessLayer, layers::RandomBrightnessConfig>;
}
