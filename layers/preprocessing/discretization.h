// Discretization: numbers as the ranges in which they lie.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct DiscretizationConfig {
  std::optional<std::vector<double>> bin_boundaries = {};
  std::optional<int64_t> num_bins = {};
  double epsilon = 0.01;
  std::string output_mode = "int";
  bool sparse = false;
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// The number of boundaries that do not exceed x, as int32 or encoded as in CategoryEncoding.
/// Either bin_boundaries are given, or num_bins, and `adapt` finds them.
class DiscretizationLayer : public LayerOf<DiscretizationLayer, DiscretizationConfig> {
 public:
  explicit DiscretizationLayer(DiscretizationConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  /// Boundaries that cut the elements of `data` into num_bins groups of about the same size, within
  /// `epsilon` of it. Throws StateError when boundaries were given.
  void adapt(const Tensor& data);
  const std::vector<double>& bin_boundaries() const;
};

using Discretization = Ref<DiscretizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DiscretizationLayer, layers::DiscretizationConfig>;
}
