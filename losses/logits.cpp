// Crossentropies of logits: two reductions forward, one elementwise pass backward.
#include "logits.h"

#include "../framework/autodiff/tape.h"
#include "../framework/base/loss.h"
#include "../framework/dispatch/apply.h"
#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/indexing.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::losses {
namespace {

Shape column_of(const Tensor& x, int axis) {
  Shape shape = x.shape();
  shape[axis] = 1;
  return shape;
}

// reduce_program along an axis that stays with size 1.
Tensor reduce_column(const backend::ProgramRef& program, std::initializer_list<Tensor> inputs,
                     const Tensor& x, int axis) {
  const Tensor y = reduce_program(program, std::span(inputs.begin(), inputs.size()), Axes(axis), 1,
                                  x.dtype(), "crossentropy");
  return ops::reshape(y, column_of(x, axis));
}

Tensor log_total(const Tensor& x, int axis);

// The sum that a gradient needs: what was computed in the forward pass, or, when a recorder follows
// the gradient, computed anew so that it has one of its own.
Tensor log_total_again(const Tensor& x, int axis, const Tensor& known) {
  return graph_context().recorders.empty() ? known : log_total(x, axis);
}

// Whether the device finds the largest elements and the sums in one pass.
bool sums_at_once(const Tensor& x, int axis) {
  return axis + 1 == x.rank() && x.size() > 0 && x.is_eager() && !x.is_weak() &&
         (x.dtype() == DType::float32 || x.dtype() == DType::float64) &&
         x.impl()->storage->backend->fusions().softmax_sums;
}

Tensor compute_log_total(const Tensor& x, int axis) {
  static const backend::ProgramRef shares = backend::Program::make(
      2, [](const std::vector<Expr>& x) { return std::vector<Expr>{expr::exp(x[0] - x[1])}; });
  // An infinite maximum is not subtracted: inf - inf would be NaN.
  const auto finite = [](Expr peak) { return expr::select(expr::isfinite(peak), peak, 0.0); };
  const auto together = [](Expr total, Expr offset) { return expr::log(total) + offset; };
  if (sums_at_once(x, axis)) {
    const TensorSpec column{column_of(x, axis), x.dtype()}, columns[] = {column, column};
    const Tensors found = apply(backend::Softmax{.sums = true}, {&x, 1}, columns);
    return fused(together, found[1], fused(finite, found[0]));
  }
  const Tensor offset = fused(finite, ops::max(x, axis, true));
  return fused(together, reduce_column(shares, {x, offset}, x, axis), offset);
}

// logsumexp along an axis, which stays.
Tensor log_total(const Tensor& x, int axis) {
  return custom_gradient(x, [axis](const Tensor& x) {
    const Tensor y = compute_log_total(x, axis);
    return std::pair(y, std::function<Tensor(const Tensor&)>([x, y, axis](const Tensor& dy) {
                       return fused([](Expr x, Expr y, Expr dy) { return expr::exp(x - y) * dy; },
                                    x, log_total_again(x, axis, y), dy);
                     }));
  });
}

bool watched(const Tensor& t) {
  return t.is_eager() && t.impl()->tapes.load(std::memory_order_relaxed) != 0;
}

}  // namespace

Tensor crossentropy_of_labels(const Tensor& labels, const Tensor& logits, int axis) {
  const Tensor inputs[] = {logits, labels};
  return custom_gradient(inputs, [axis](std::span<const Tensor> given) -> WithGradient {
    const Tensor x = given[0], labels = given[1];
    const Tensor total = compute_log_total(x, axis);
    return {{total - ops::take_along_axis(x, labels, axis)},
            [x, labels, total, axis](std::span<const Tensor> dy) -> Tensors {
              Shape row = std::vector<int64_t>(static_cast<size_t>(x.rank()), 1);
              row[axis] = x.shape()[axis];
              const Tensor classes = ops::arange(0, row[axis]);
              const Tensor dx =
                  fused([](Expr x, Expr total, Expr c, Expr label,
                           Expr dy) { return (expr::exp(x - total) - expr::equal(c, label)) * dy; },
                        x, log_total_again(x, axis, total),
                        ops::reshape(ops::cast(classes, DType::int32), row), labels, dy[0]);
              return {dx, Tensor()};
            }};
  })[0];
}

Tensor crossentropy_of_targets(const Tensor& targets, const Tensor& logits, int axis) {
  static const backend::ProgramRef terms = backend::Program::make(
      3, [](const std::vector<Expr>& x) { return std::vector<Expr>{x[0] * (x[2] - x[1])}; });
  const Tensor inputs[] = {targets, logits};
  return custom_gradient(inputs, [axis](std::span<const Tensor> given) -> WithGradient {
    const Tensor t = given[0], x = given[1];
    const Tensor total = compute_log_total(x, axis);
    return {{reduce_column(terms, {t, x, total}, x, axis)},
            [t, x, total, axis](std::span<const Tensor> dy) -> Tensors {
              const Tensor again = log_total_again(x, axis, total);
              const Tensor dx = fused([](Expr x, Expr total, Expr sum, Expr t,
                                         Expr dy) { return (expr::exp(x - total) * sum - t) * dy; },
                                      x, again, ops::sum(t, axis, true), t, dy[0]);
              if (!watched(t)) return {Tensor(), dx};
              return {ops::cast(fused([](Expr x, Expr total, Expr dy) { return (total - x) * dy; },
                                      x, again, dy[0]),
                                t.dtype()),
                      dx};
            }};
  })[0];
}

}  // namespace cornu::losses
