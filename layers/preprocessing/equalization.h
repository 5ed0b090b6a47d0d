// Equalization: images in which all brightnesses are as frequent.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct EqualizationConfig {
  std::vector<double> value_range = {0, 255};
  int64_t bins = 256;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Equalises the histogram of each channel, over all images of the batch. Only in training.
class EqualizationLayer : public LayerOf<EqualizationLayer, EqualizationConfig> {
 public:
  explicit EqualizationLayer(EqualizationConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  static std::shared_ptr<EqualizationLayer> from_config(const Value::Dict& dict);
};

using Equalization = Ref<EqualizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::EqualizationLayer, layers::EqualizationConfig>;
}
