// ActivityRegularization: adds a penalty on what passes through it.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of ActivityRegularization.
struct ActivityRegularizationConfig {
  double l1 = 0.0;  ///< weight of the sum of absolute values
  double l2 = 0.0;  ///< weight of the sum of squares
  CORNU_LAYER_OPTIONS;
};

/// x; adds (l1 sum |x| + l2 sum x^2) / batch to the losses.
class ActivityRegularizationLayer
    : public LayerOf<ActivityRegularizationLayer, ActivityRegularizationConfig> {
 public:
  /// Throws ValueError unless l1 and l2 are finite and 0 or more. A mask passes through.
  explicit ActivityRegularizationLayer(ActivityRegularizationConfig config);
  Tensor call(const Tensor& x, const Call&) override { return x; }
  Value::Dict get_config() const override;  ///< as Keras, without the penalty that l1 and l2 make
};

/// A shared ActivityRegularizationLayer, made from its options.
using ActivityRegularization = Ref<ActivityRegularizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ActivityRegularizationLayer,
                              layers::ActivityRegularizationConfig>;
}
