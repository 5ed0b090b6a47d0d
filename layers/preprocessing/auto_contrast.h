// AutoContrast: images stretched to the whole range of values.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct AutoContrastConfig {
  std::vector<double> value_range = {0, 255};
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Each channel of each image, so that its least and greatest values become the ends of the range.
/// A channel of one value stays as it is.
class AutoContrastLayer : public LayerOf<AutoContrastLayer, AutoContrastConfig> {
 public:
  explicit AutoContrastLayer(AutoContrastConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  static std::shared_ptr<AutoContrastLayer> from_config(const Value::Dict& dict);
};

using AutoContrast = Ref<AutoContrastLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AutoContrastLayer, layers::AutoContrastConfig>;
}
