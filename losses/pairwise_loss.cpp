// The kernel of losses on pairs of elements.
#include "pairwise_loss.h"

#include <fmt/core.h>

namespace cornu::losses {

void PairwiseLoss::set_formula(const Formula& formula, Over over, int64_t axis) {
  program_ = backend::Program::make(
      2, [&](const std::vector<Expr>& x) { return std::vector<Expr>{formula(x[0], x[1])}; });
  over_ = over;
  axis_ = axis;
}

Tensor PairwiseLoss::targets(const Tensor& y_true) { return y_true; }

Tensor PairwiseLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  return run(y_true, y_pred, false, true);
}

Tensor PairwiseLoss::total(const Tensor& y_true, const Tensor& y_pred, bool mean) {
  return y_pred.size() ? run(y_true, y_pred, true, mean) : Tensor();
}

Tensor PairwiseLoss::run(const Tensor& y_true, const Tensor& y_pred, bool whole, bool mean) {
  const auto [t, p] = y_true.rank() == y_pred.rank()
                          ? std::pair(y_true, y_pred)
                          : squeeze_or_expand_to_same_rank(y_true, y_pred);
  if (equal_shapes_ && t.shape() != p.shape())
    throw ShapeError(fmt::format("{}: y_true of shape {} and y_pred of shape {} must be equal.",
                                 name_, y_true.shape().str(), y_pred.shape().str()));
  const Shape& shape = t.rank() > p.rank() ? t.shape() : p.shape();
  const int axis = normalize_axis(axis_, shape.rank(), "axis");
  // An axis of size 1 in one of them repeats along the other.
  const Shape full = t.shape() == p.shape() ? shape : broadcast(t.shape(), p.shape());
  double count = 1;
  if (over_ == Over::mean) count *= static_cast<double>(full[axis]);
  if (whole && mean) count *= static_cast<double>(full.numel() / std::max<int64_t>(full[axis], 1));
  const Tensor inputs[] = {targets(t), p};
  return reduce_program(program_, inputs, whole ? Axes() : Axes(axis), 1 / count, dtype_,
                        name_.c_str());
}

}  // namespace cornu::losses
