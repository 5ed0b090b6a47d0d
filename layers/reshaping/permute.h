// Permute: the axes of each sample in another order.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Permute.
struct PermuteConfig {
  /// The axis of x for each axis of the output, from 1; must be given.
  std::vector<int64_t> dims = {};
  CORNU_LAYER_OPTIONS;
};

/// x (batch, a1, a2, ...) -> (batch, a[dims[0]], a[dims[1]], ...). Throws ValueError unless dims
/// holds each axis once, ShapeError for another rank.
class PermuteLayer : public LayerOf<PermuteLayer, PermuteConfig> {
 public:
  /// Throws ValueError unless dims holds each of 1, 2, ... once.
  explicit PermuteLayer(PermuteConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using Permute = Ref<PermuteLayer>;  ///< a shared PermuteLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::PermuteLayer, layers::PermuteConfig>;
}
