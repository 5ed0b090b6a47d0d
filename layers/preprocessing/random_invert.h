// RandomInvert: some images as negatives.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct RandomInvertConfig {
  std::vector<double> factor = {
      1.0};  ///< [low, high] of the probability; one number f means [0, f]
  std::vector<double> value_range = {0, 255};
  std::optional<int64_t> seed = {};
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Each image x, with a random probability, as high - x. Only in training.
class RandomInvertLayer : public LayerOf<RandomInvertLayer, RandomInvertConfig> {
 public:
  explicit RandomInvertLayer(RandomInvertConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  static std::shared_ptr<RandomInvertLayer> from_config(const Value::Dict& dict);

 private:
  SeedGenerator& seeds_;
};

using RandomInvert = Ref<RandomInvertLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomInvertLayer, layers::RandomInvertConfig>;
}
