// Confusion matrices by scattering, and what classes have in common by them.
#include "overlap_of_classes.h"

#include <fmt/core.h>

#include <numeric>

#include "../framework/dispatch/apply.h"
#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/indexing.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {
namespace {

Tensor flat(const Tensor& x) { return x.rank() == 1 ? x : ops::reshape(x, {x.size()}); }

}  // namespace

std::vector<int64_t> OverlapOfClasses::all_classes(int64_t num_classes) {
  std::vector<int64_t> ids(static_cast<size_t>(std::max<int64_t>(num_classes, 0)));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

void OverlapOfClasses::set(int64_t num_classes, const std::vector<int64_t>& target_class_ids,
                           const ClassReading& reading) {
  if (num_classes <= 0)
    throw ValueError(
        fmt::format("{}: num_classes must be positive, found {}.", name(), num_classes));
  for (const int64_t id : target_class_ids)
    if (id < 0 || id >= num_classes)
      throw ValueError(
          fmt::format("{}: target class {} is not in [0, {}).", name(), id, num_classes));
  if (target_class_ids.empty())
    throw ValueError(fmt::format("{}: target_class_ids is empty.", name()));
  classes_ = num_classes;
  reading_ = reading;
  targets_ = ops::cast(Tensor(target_class_ids), DType::int32);
  counts_ = add_variable(ops::zeros({num_classes, num_classes}, dtype()), "total_confusion_matrix");
}

void OverlapOfClasses::update_state(const Tensor& y_true, const Tensor& y_pred,
                                    const Tensor& sample_weight) {
  const auto classes_of = [&](const Tensor& x, bool sparse) {
    return flat(ops::cast(sparse ? x : ops::argmax(x, reading_.axis), dtype()));
  };
  const Tensor t = classes_of(y_true, reading_.sparse_y_true);
  const Tensor p = classes_of(y_pred, reading_.sparse_y_pred);
  if (t.shape() != p.shape())
    throw ShapeError(fmt::format(
        "{}: y_true of shape {} and y_pred of shape {} do not have equally many classes.", name(),
        y_true.shape().str(), y_pred.shape().str()));
  Tensor weights =
      sample_weight ? ops::cast(sample_weight, dtype()) : ops::ones(t.shape(), dtype());
  if (weights.rank() > 1) weights = flat(weights);
  try {
    weights = ops::broadcast_to(weights, t.shape());
  } catch (const ShapeError&) {
    throw ShapeError(fmt::format("{}: sample_weight of shape {} does not fit y_true of shape {}.",
                                 name(), sample_weight.shape().str(), y_true.shape().str()));
  }
  // The place in the matrix, or one behind it, which the scatter leaves out.
  const Tensor ignored(reading_.ignore_class ? static_cast<double>(*reading_.ignore_class) : -1.0);
  const Tensor place = ops::cast(fused_many(
                                     DType::float64,
                                     [](Expr t, Expr p, Expr n, Expr ignored) {
                                       Expr counts = (t >= 0.0) * (t < n) * (p >= 0.0) * (p < n) *
                                                     expr::not_equal(t, ignored);
                                       Expr at = expr::floor(t) * n + expr::floor(p);
                                       return std::vector<Expr>{expr::select(counts, at, n * n)};
                                     },
                                     t, p, Tensor(classes_), ignored)[0],
                                 DType::int32);
  const Tensor counts = ops::reshape(counts_.value(), {classes_ * classes_});
  const Tensor sum = apply(backend::Scatter{}, {counts, place, weights}, counts.spec());
  counts_.assign(ops::reshape(sum, counts_.shape()));
}

Tensor OverlapOfClasses::result() {
  const Tensor& counts = counts_.value();
  const Tensor all = ops::sum(counts, 0) + ops::sum(counts, 1);
  const Tensor both =
      ops::take(ops::reshape(counts, {classes_ * classes_}), targets_ * Tensor(classes_ + 1), 0);
  const Tensors shares = fused_many(
      DType::float32,
      [](Expr both, Expr all) {
        Expr together = all - both;
        Expr occurs = together > 1e-9;
        return std::vector<Expr>{expr::select(occurs, both / (together + 1e-7), 0.0), occurs};
      },
      ops::cast(both, DType::float32), ops::cast(ops::take(all, targets_, 0), DType::float32));
  return ops::sum(shares[0]) / (ops::sum(shares[1]) + Tensor(1e-7));
}

}  // namespace cornu::metrics
