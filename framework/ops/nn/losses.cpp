// Crossentropies, in as few programs as their reductions allow.
#include "losses.h"

#include <fmt/core.h>

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../operators.h"
#include "softmax.h"

namespace cornu::ops {

namespace {

constexpr double smallest_probability = 1e-7;

void check_target(const Tensor& target, const Tensor& output, const char* name) {
  if (target.shape() != output.shape())
    throw ShapeError(fmt::format(
        "{}: target of shape {} and output of shape {} must be equal. For class numbers "
        "use sparse_categorical_crossentropy.",
        name, target.shape().str(), output.shape().str()));
}

}  // namespace

Tensor psnr(const Tensor& x1, const Tensor& x2, const Tensor& max_val) {
  if (is_symbolic(x1, x2, max_val)) return symbolic_call(&psnr, x1, x2, max_val);
  if (x1.shape() != x2.shape())
    throw ShapeError(
        fmt::format("psnr: shapes {} and {} must be equal.", x1.shape().str(), x2.shape().str()));
  if (is_complex(x1.dtype()) || is_complex(x2.dtype())) refuse_complex("psnr");
  return 20 * log10(cast(max_val, x2.dtype())) - 10 * log10(mean(square(x1 - x2)));
}

Tensor categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits,
                                int64_t axis) {
  if (is_symbolic(target, output))
    return symbolic_call(&categorical_crossentropy, target, output, from_logits, axis);
  check_target(target, output, "categorical_crossentropy");
  if (from_logits) return -sum(target * log_softmax(output, axis), axis);
  const Tensor normalized = output / sum(output, axis, true);
  return -sum(fused(
                  [](Expr t, Expr p) {
                    return t * expr::log(expr::minimum(expr::maximum(p, smallest_probability),
                                                       1.0 - smallest_probability));
                  },
                  target, normalized),
              axis);
}

Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits,
                                       int64_t axis) {
  if (is_symbolic(target, output))
    return symbolic_call(&sparse_categorical_crossentropy, target, output, from_logits, axis);
  const int a = normalize_axis(axis, output.rank(), "sparse_categorical_crossentropy: axis");
  Tensor labels = cast(target, DType::int32);
  if (labels.rank() == output.rank() && labels.shape()[a] == 1) labels = squeeze(labels, a);
  Shape expected = output.shape();
  expected.erase(a);
  if (labels.shape() != expected)
    throw ShapeError(
        fmt::format("sparse_categorical_crossentropy: labels of shape {} for output of shape {}: "
                    "expected {} or {}.",
                    target.shape().str(), output.shape().str(), expected.str(), [&] {
                      Shape s = output.shape();
                      s[a] = 1;
                      return s.str();
                    }()));
  const Tensor logp =
      from_logits ? log_softmax(output, a)
                  : fused(
                        [](Expr p) {
                          return expr::log(expr::minimum(expr::maximum(p, smallest_probability),
                                                         1.0 - smallest_probability));
                        },
                        output / sum(output, a, true));
  const Tensor column = expand_dims(labels, {a});
  const Tensor picked = squeeze(take_along_axis(logp, column, a), a);
  // A label out of range has no class: Keras's one-hot row of it is all zeros.
  const int64_t classes = output.shape()[a];
  const Tensor inside = logical_and(labels >= 0, labels < classes);
  return -where(inside, picked, zeros_like(picked));
}

Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits) {
  if (is_symbolic(target, output))
    return symbolic_call(&binary_crossentropy, target, output, from_logits);
  check_target(target, output, "binary_crossentropy");
  if (from_logits)
    return fused(
        [](Expr t, Expr x) { return t * expr::softplus(-x) + (1.0 - t) * expr::softplus(x); },
        target, output);
  return fused(
      [](Expr t, Expr p) {
        Expr q = expr::minimum(expr::maximum(p, smallest_probability), 1.0 - smallest_probability);
        return -(t * expr::log(q) + (1.0 - t) * expr::log(1.0 - q));
      },
      target, output);
}

void list_nn_losses(OpCatalog& catalog) {
  catalog.add("nn.PSNR", {"x1", "x2", "max_val"}, &psnr);
  catalog.add("nn.CategoricalCrossentropy", {"target", "output", "from_logits=False", "axis=-1"},
              &categorical_crossentropy);
  catalog.add("nn.SparseCategoricalCrossentropy",
              {"target", "output", "from_logits=False", "axis=-1"},
              &sparse_categorical_crossentropy);
  catalog.add("nn.BinaryCrossentropy", {"target", "output", "from_logits=False"},
              &binary_crossentropy);
}

}  // namespace cornu::ops
