// Pieces of tensors. The gradient of a plain slice fills a tensor of the full size with zeros, so
// that of many slices would cost their number times the whole; joining the pieces costs the whole
// once.
#include "recurrent_common.h"

#include "../../framework/graph/tape.h"
#include "../../framework/ops/creation.h"
#include "../../framework/ops/shaping.h"

namespace cornu::layers {

namespace {

template <class Cut, class Join>
std::vector<Tensor> cut(const Tensor& x, Cut pieces, Join join) {
  const Tensor inputs[] = {x};
  const Tensors outputs = custom_gradient(inputs, [&](std::span<const Tensor> in) {
    const std::vector<Tensor> made = pieces(in[0]);
    std::vector<TensorSpec> specs;
    for (const Tensor& t : made) specs.push_back(t.spec());
    GradientFunction gradient = [specs, join](std::span<const Tensor> given) -> Tensors {
      std::vector<Tensor> all(given.begin(), given.end());
      for (size_t i = 0; i < all.size(); ++i)
        if (!all[i]) all[i] = ops::zeros(specs[i].shape, specs[i].dtype);
      return {join(all)};
    };
    return WithGradient{Tensors(made.begin(), made.end()), std::move(gradient)};
  });
  return {outputs.begin(), outputs.end()};
}

}  // namespace

std::vector<Tensor> steps_of(const Tensor& x) {
  return cut(
      x, [](const Tensor& t) { return ops::unstack(t, {}, 1); },
      [](const std::vector<Tensor>& pieces) { return ops::stack(pieces, 1); });
}

std::vector<Tensor> sections_of(const Tensor& x, int64_t count) {
  return cut(
      x, [count](const Tensor& t) { return ops::split(t, {count}, -1); },
      [](const std::vector<Tensor>& pieces) { return ops::concatenate(pieces, -1); });
}

}  // namespace cornu::layers
