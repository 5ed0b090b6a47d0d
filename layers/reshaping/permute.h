// Permute: the axes of each sample in another order.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct PermuteConfig {
  std::vector<int64_t> dims =
      {};  ///< must be given: which axis comes first, second, ...; counted from 1
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, a1, a2, ...) -> (batch, a[dims[0]], a[dims[1]], ...).
class PermuteLayer : public LayerOf<PermuteLayer, PermuteConfig> {
 public:
  explicit PermuteLayer(PermuteConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using Permute = Ref<PermuteLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::PermuteLayer, layers::PermuteConfig>;
}
