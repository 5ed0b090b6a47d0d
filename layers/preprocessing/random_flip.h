// RandomFlip: images mirrored at random.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct RandomFlipConfig {
  std::string mode = "horizontal_and_vertical";
  std::optional<int64_t> seed = {};
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Each image mirrored with probability 1/2: left and right ("horizontal"), top and bottom
/// ("vertical"), or both. Only in training.
class RandomFlipLayer : public LayerOf<RandomFlipLayer, RandomFlipConfig> {
 public:
  explicit RandomFlipLayer(RandomFlipConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  static std::shared_ptr<RandomFlipLayer> from_config(const Value::Dict& dict);

 private:
  SeedGenerator& seeds_;
};

using RandomFlip = Ref<RandomFlipLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomFlipLayer, layers::RandomFlipConfig>;
}
