// The axes of each sample in another order.
#include "permute.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/ops/numpy/manipulation.h"

namespace cornu::layers {

PermuteLayer::PermuteLayer(PermuteConfig c) : LayerOf(std::move(c)) {
  std::vector<int64_t> sorted = config.dims;
  std::ranges::sort(sorted);
  bool valid = !sorted.empty();
  for (size_t i = 0; i < sorted.size(); ++i) valid &= sorted[i] == static_cast<int64_t>(i) + 1;
  if (!valid)
    throw ValueError(fmt::format("option 'dims' must hold each of 1, 2, ... once, found {}.",
                                 Shape(config.dims).str()));
}

Tensor PermuteLayer::call(const Tensor& x, const Call&) {
  check_rank(x.shape(), static_cast<int>(config.dims.size()) + 1,
             "(batch, and an axis for each of dims)");
  std::vector<int64_t> axes = {0};
  axes.insert(axes.end(), config.dims.begin(), config.dims.end());
  return ops::transpose(x, axes);
}

void register_permute(Catalog& c) { c.add<PermuteLayer>("keras.layers.Permute"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::PermuteLayer, cornu::layers::PermuteConfig>;
