// ActivityRegularization: adds a penalty on what passes through it.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of ActivityRegularization.
struct ActivityRegularizationConfig {
  double l1 = 0.0;                        ///< weight of the sum of absolute values
  double l2 = 0.0;                        ///< weight of the sum of squares
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< whether training changes the weights
  std::optional<DTypePolicy> dtype = {};  ///< of weights and computation; none: the global policy
};

/// x; adds (l1 sum |x| + l2 sum x^2) / batch to the losses.
class ActivityRegularizationLayer
    : public LayerOf<ActivityRegularizationLayer, ActivityRegularizationConfig> {
 public:
  /// Throws ValueError unless l1 and l2 are finite and 0 or more. A mask passes through.
  explicit ActivityRegularizationLayer(ActivityRegularizationConfig config);
  Tensor call(const Tensor& x, const Call&) override { return x; }
};

/// A shared ActivityRegularizationLayer, made from its options.
using ActivityRegularization = Ref<ActivityRegularizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ActivityRegularizationLayer,
                              layers::ActivityRegularizationConfig>;
}
