// ActivityRegularization: adds a penalty on what passes through it.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct ActivityRegularizationConfig {
  double l1 = 0.0;  ///< weight of the sum of absolute values
  double l2 = 0.0;  ///< weight of the sum of squares
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x; adds (l1 sum |x| + l2 sum x^2) / batch to the losses.
class ActivityRegularizationLayer
    : public LayerOf<ActivityRegularizationLayer, ActivityRegularizationConfig> {
 public:
  explicit ActivityRegularizationLayer(ActivityRegularizationConfig config);
  Tensor call(const Tensor& x, const Call&) override { return x; }
};

using ActivityRegularization = Ref<ActivityRegularizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ActivityRegularizationLayer,
                              layers::ActivityRegularizationConfig>;
}
