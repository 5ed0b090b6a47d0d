// Data brought to mean 0 and variance 1.
#include "normalization.h"

#include <algorithm>

#include "../../framework/ops/convert.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

NormalizationLayer::NormalizationLayer(NormalizationConfig c) : LayerOf(std::move(c)) {
  if (config.mean.is_null() != config.variance.is_null())
    throw ValueError("mean and variance must be given together, or neither.");
  supports_masking_ = true;
}

std::vector<int> NormalizationLayer::kept(const Shape& shape) const {
  // No axis at all is null in Keras; Axes takes that for all of them.
  if (config.axis.all()) return {};
  const auto axes = config.axis.resolve(shape.rank());
  return {axes.begin(), axes.end()};
}

void NormalizationLayer::build(const Shape& input) {
  if (!config.mean.is_null()) return;
  Shape shape;
  for (int axis : kept(input)) {
    if (input[axis] == Shape::unknown)
      throw ShapeError("axis " + std::to_string(axis) + " of the input " + input.str() +
                       " has its own statistics, so its size must be known.");
    shape.push_back(input[axis]);
  }
  mean = add_weight({.name = "mean", .shape = shape, .initializer = "zeros", .trainable = false});
  variance =
      add_weight({.name = "variance", .shape = shape, .initializer = "ones", .trainable = false});
  count = add_weight({.name = "count",
                      .shape = {},
                      .initializer = "zeros",
                      .dtype = DType::int64,
                      .trainable = false});
}

Tensor NormalizationLayer::call(const Tensor& given, const Call&) {
  const Tensor x = ops::cast(given, compute_dtype());
  const std::vector<int> axes = kept(x.shape());
  // Statistics are along the kept axes, the last one at the last of them.
  const auto along = [&](const Tensor& t) {
    Shape shape;
    for (int i = 0; i < x.rank(); ++i) shape.push_back(1);
    if (t.rank() > static_cast<int>(axes.size()))
      throw ShapeError("mean and variance of shape " + t.shape().str() +
                       " have more axes than are in `axis`.");
    for (int i = 1; i <= t.rank(); ++i)
      shape[axes[axes.size() - static_cast<size_t>(i)]] = t.shape()[t.rank() - i];
    return ops::cast(ops::reshape(t, shape), compute_dtype());
  };
  const bool own = config.mean.is_null();
  const Tensor m = along(own ? mean.value() : detail::from_value<Tensor>(config.mean));
  const Tensor v = along(own ? variance.value() : detail::from_value<Tensor>(config.variance));
  if (config.invert)
    return fused([](Expr x, Expr m, Expr v) { return m + x * expr::maximum(expr::sqrt(v), 1e-7); },
                 x, m, v);
  return fused([](Expr x, Expr m, Expr v) { return (x - m) / expr::maximum(expr::sqrt(v), 1e-7); },
               x, m, v);
}

void NormalizationLayer::expect_own() const {
  if (!config.mean.is_null())
    throw StateError(
        "adapt: this layer was made with mean and variance, so there is nothing to find.");
}

// The axes over which statistics are taken.
std::vector<int64_t> NormalizationLayer::pooled(const Tensor& x) const {
  const std::vector<int> axes = kept(x.shape());
  std::vector<int64_t> others;
  for (int i = 0; i < x.rank(); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) others.push_back(i);
  return others;
}

void NormalizationLayer::adapt(const Tensor& data) {
  expect_own();
  ensure_built(Nest(data));
  const Tensor x = ops::cast(data, variable_dtype());
  const std::vector<int64_t> others = pooled(x);
  mean.assign(ops::mean(x, others));
  variance.assign(ops::var(x, others));
}

void NormalizationLayer::reset_state() {
  batches_mean_ = {};
  batches_variance_ = {};
  elements_ = 0;
}

void NormalizationLayer::update_state(const Tensor& batch) {
  expect_own();
  ensure_built(Nest(batch));
  const Tensor x = ops::cast(batch, variable_dtype());
  const std::vector<int64_t> others = pooled(x);
  const Tensor m = ops::mean(x, others), v = ops::var(x, others);
  double count = 1;
  for (const int64_t axis : others) count *= static_cast<double>(x.shape()[static_cast<int>(axis)]);
  if (count == 0) return;
  elements_ += count;
  if (!batches_mean_) {
    batches_mean_ = m;
    batches_variance_ = v;
    return;
  }
  const double share = count / elements_;
  const Tensor total = batches_mean_ * Tensor(1 - share) + m * Tensor(share);
  const Tensor before = batches_variance_ + ops::square(batches_mean_ - total);
  const Tensor now = v + ops::square(m - total);
  batches_variance_ = before * Tensor(1 - share) + now * Tensor(share);
  batches_mean_ = total;
}

void NormalizationLayer::finalize_state() {
  if (!batches_mean_) return;
  mean.assign(batches_mean_);
  variance.assign(batches_variance_);
  reset_state();
}

std::vector<Tensor> NormalizationLayer::statistics() const {
  if (!config.mean.is_null())
    return {detail::from_value<Tensor>(config.mean), detail::from_value<Tensor>(config.variance)};
  if (!mean) throw StateError("statistics: there are none yet; call adapt(data) first.");
  return {mean.value(), variance.value()};
}

void register_normalization(Catalog& c) { c.add<NormalizationLayer>("keras.layers.Normalization"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::NormalizationLayer,
                              cornu::layers::NormalizationConfig>;
