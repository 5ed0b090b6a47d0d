// A derivative along a direction as the derivative of a gradient.
#include "jvp.h"

#include <fmt/core.h>

#include "../ops/detail/strong.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/products.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "tape.h"

namespace cornu::ops {

namespace {

// What is differentiated; `f` may keep what else it makes.
using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

Directional along(const Function& f, const std::vector<Tensor>& primals,
                  const std::vector<Tensor>& tangents) {
  if (primals.size() != tangents.size())
    throw ValueError(fmt::format("jvp: {} primals and {} tangents; each primal needs one.",
                                 primals.size(), tangents.size()));
  for (size_t i = 0; i < primals.size(); ++i)
    if (primals[i].shape() != tangents[i].shape())
      throw ShapeError(fmt::format("jvp: primal {} has shape {}, its tangent has shape {}.", i,
                                   primals[i].shape().str(), tangents[i].shape().str()));
  // The gradient J^T u is linear in the weights u of the outputs: what its product with the
  // tangents, u . (J t), changes by u is J t.
  Directional result;
  std::vector<Tensor> weights;
  GradientTape outer;
  Tensor product;
  {
    GradientTape inner;
    std::vector<Tensor> x;
    for (const Tensor& primal : primals) {
      x.push_back(detail::strong(primal));
      inner.watch(x.back());
    }
    result.outputs = f(x);
    for (const Tensor& y : result.outputs) {
      // Any value would do, as the gradient is linear in them; zeros cannot overflow.
      weights.push_back(zeros_like(y));
      outer.watch(weights.back());
    }
    const std::vector<Tensor> gradients = inner.gradient(result.outputs, x, weights);
    for (size_t i = 0; i < primals.size(); ++i) {
      if (!gradients[i]) continue;
      const Tensor share = sum(gradients[i] * tangents[i]);
      product = product ? product + share : share;
    }
  }
  result.tangents =
      product ? outer.gradient(product, weights) : std::vector<Tensor>(result.outputs.size());
  return result;
}

}  // namespace

Directional jvp(const Function& f, const std::vector<Tensor>& primals,
                const std::vector<Tensor>& tangents, bool has_aux) {
  if (has_aux)
    throw ValueError(
        "jvp: with has_aux the function returns a pair: its outputs, and what is not "
        "differentiated. This one returns outputs alone.");
  return along(f, primals, tangents);
}

Directional jvp(
    const std::function<std::pair<std::vector<Tensor>, Nest>(const std::vector<Tensor>&)>& f,
    const std::vector<Tensor>& primals, const std::vector<Tensor>& tangents, bool has_aux) {
  if (!has_aux)
    throw ValueError(
        "jvp: the function returns a pair, whose second part is not differentiated: has_aux must "
        "be true. Return the outputs alone to differentiate all of them.");
  Nest aux;
  Directional result = along(
      [&](const std::vector<Tensor>& x) {
        auto [outputs, rest] = f(x);
        aux = std::move(rest);
        return outputs;
      },
      primals, tangents);
  result.aux = std::move(aux);
  return result;
}

}  // namespace cornu::ops
