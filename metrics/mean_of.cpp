// Sums and counts of metrics that are means.
#include "mean_of.h"

#include <limits>

#include "../framework/base/samplewise.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/indexing.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {
namespace {

int64_t samples_of(const Shape& shape) { return shape.rank() ? shape[0] : 1; }

}  // namespace

MeanOf::MeanOf(std::string name, DType dtype)
    : Metric(std::move(name), dtype),
      total_(add_variable(ops::zeros({}, dtype), "total")),
      count_(add_variable(ops::zeros({}, dtype), "count")) {}

MeanOf::Batch MeanOf::batch(const Tensor&, const Tensor&) { return {}; }

void MeanOf::update_state(const Tensor& y_true, const Tensor& y_pred,
                          const Tensor& sample_weight) try {
  const Tensor mask = y_pred ? y_pred.mask() : Tensor();
  if (!sample_weight && !mask) {
    if (const Batch whole = batch(y_true, y_pred); whole.mean) return add(whole);
  }
  add(values(y_true, y_pred), apply_mask(sample_weight, mask, dtype(), false));
} catch (const ShapeError& e) {
  rethrow_unfit(e, name(), y_true, y_pred);
}

void MeanOf::add(const Batch& batch) {
  const Tensors sums = fused_many(
      dtype(),
      [](Expr total, Expr count, Expr mean, Expr n) {
        return std::vector<Expr>{total + mean * n, count + n};
      },
      total_.value(), count_.value(), batch.mean, Tensor(batch.samples));
  total_.assign(sums[0]);
  count_.assign(sums[1]);
}

void MeanOf::add(const Tensor& values, const Tensor& sample_weight) {
  if (!sample_weight) {
    const Tensor v = cornu::detail::of_type(values, dtype());
    if (v.size() == 0) return;
    // The mean of samples' means is the mean of all.
    return add(Batch{v.rank() ? ops::mean(v) : v, samples_of(v.shape())});
  }
  const WeightedSums batch = samplewise_sums(values, sample_weight, dtype());
  const Tensors sums = fused_many(
      dtype(),
      [](Expr total, Expr count, Expr values, Expr weights) {
        return std::vector<Expr>{total + values, count + weights};
      },
      total_.value(), count_.value(), batch.values, batch.weights);
  total_.assign(sums[0]);
  count_.assign(sums[1]);
}

Tensor MeanOf::result() {
  return fused(
      [](Expr total, Expr count) {
        Expr none = expr::equal(count, 0.0);
        return expr::select(none, 0.0, total / expr::select(none, 1.0, count));
      },
      total_.value(), count_.value());
}

const backend::ProgramRef& FractionOf::condition() const {
  return backend::program_of(backend::Opcode::equal);
}

Tensor FractionOf::values(const Tensor& y_true, const Tensor& y_pred) {
  const auto [a, b] = sides(y_true, y_pred);
  const Tensor inputs[] = {a, b};
  return detail::apply_fused_many(condition(), inputs, dtype(), name().c_str())[0];
}

MeanOf::Batch FractionOf::batch(const Tensor& y_true, const Tensor& y_pred) {
  const auto [a, b] = sides(y_true, y_pred);
  const Shape shape = a.shape() == b.shape() ? a.shape() : broadcast(a.shape(), b.shape());
  if (shape.numel() == 0) return {};
  const Tensor inputs[] = {a, b};
  return {reduce_program(condition(), inputs, {}, 1.0 / static_cast<double>(shape.numel()), dtype(),
                         name().c_str()),
          samples_of(shape)};
}

Tensor LossMean::values(const Tensor& y_true, const Tensor& y_pred) {
  return loss_->call(y_true, y_pred);
}

MeanOf::Batch LossMean::batch(const Tensor& y_true, const Tensor& y_pred) {
  const Shape& shape = y_true.rank() > y_pred.rank() ? y_true.shape() : y_pred.shape();
  if (shape.rank() == 0) return {};
  const int axis = normalize_axis(axis_, shape.rank());
  const int first = axis == 0 ? 1 : 0;
  return {loss_->total(y_true, y_pred, true), shape.rank() > 1 ? shape[first] : 1};
}

Tensor in_top_k(const Tensor& labels, const Tensor& y_pred, int64_t k) {
  // The place of the label's prediction is one more than the number of greater ones; NaN comes
  // last.
  static const backend::ProgramRef greater =
      backend::Program::make(2, [](const std::vector<Expr>& x) {
        return std::vector<Expr>{
            x[0] > expr::select(expr::isnan(x[1]), -std::numeric_limits<double>::infinity(), x[1])};
      });
  const Tensor own = ops::take_along_axis(
      y_pred, ops::expand_dims(cornu::detail::of_type(labels, DType::int32), {-1}), -1);
  const Tensor inputs[] = {y_pred, own};
  const Tensor above = reduce_program(greater, inputs, -1, 1, DType::float32, "in_top_k");
  return above < Tensor(k);
}

}  // namespace cornu::metrics
