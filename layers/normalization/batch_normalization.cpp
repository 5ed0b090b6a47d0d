// Normalization over the batch.
#include "batch_normalization.h"

#include <fmt/core.h>

#include <cmath>

#include "../../framework/ops/convert.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/nn/normalization.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "../../framework/tensor/promotion.h"

namespace cornu::layers {

namespace {

// The square root of what another initializer makes, for a deviation that starts with a variance.
class RootOf : public Initializer {
 public:
  explicit RootOf(Choice<Initializer> variance) : variance_(std::move(variance)) {}
  Tensor operator()(const Shape& shape, DType dtype) override {
    return ops::sqrt((*variance_)(shape, dtype));
  }
  Value::Dict get_config() const override { return {}; }

 private:
  Choice<Initializer> variance_;
};

Tensor toward(const Tensor& average, const Tensor& now, double momentum) {
  return fused([](Expr average, Expr now, Expr m) { return average * m + now * (1.0 - m); },
               average, now, Tensor(momentum));
}

Tensor standard_deviation(const Tensor& variance, double epsilon) {
  return fused([](Expr variance, Expr epsilon) { return expr::sqrt(variance + epsilon); }, variance,
               Tensor(epsilon));
}

// Mean and variance of each channel over the places where `real` holds.
std::pair<Tensor, Tensor> masked_moments(const Tensor& x, const Tensor& real, const Axes& axes) {
  // A mask of numbers is true wherever it is not 0.
  const Tensor steps = ops::cast(ops::cast(real, DType::boolean), x.dtype());
  const Tensor weight = ops::broadcast_to(ops::expand_dims(steps, {-1}), x.shape());
  const Tensor count = ops::sum(weight, axes, true) + Tensor(1e-7);
  const Tensor mean = ops::sum(ops::where(weight, x, Tensor(0.0)), axes, true) / count;
  const Tensor squares = fused(
      [](Expr w, Expr x, Expr mean) {
        Expr d = x - mean;
        return expr::select(w, d * d, 0.0);
      },
      weight, x, mean);
  const Tensor variance = ops::sum(squares, axes, true) / count;
  return {ops::reshape(mean, {-1}), ops::reshape(variance, {-1})};
}

}  // namespace

BatchNormalizationLayer::BatchNormalizationLayer(BatchNormalizationConfig c)
    : LayerOf(std::move(c)) {
  if (config.renorm && config.renorm_clipping.is_null()) config.renorm_clipping = Value::Dict{};
  if (config.renorm_clipping.is<Value::Dict>())
    for (const auto& [key, value] : config.renorm_clipping.get<Value::Dict>())
      if (key != "rmax" && key != "rmin" && key != "dmax")
        throw ValueError(fmt::format(
            "option 'renorm_clipping' knows 'rmax', 'rmin' and 'dmax', found '{}'.", key));
  supports_masking_ = true;
}

void BatchNormalizationLayer::build(const Shape& input) {
  const int axis = normalize_axis(config.axis, input.rank(), "option 'axis'");
  const Shape shape = {input[axis]};
  if (config.scale)
    gamma = add_weight({.name = "gamma",
                        .shape = shape,
                        .initializer = config.gamma_initializer,
                        .regularizer = config.gamma_regularizer,
                        .constraint = config.gamma_constraint});
  if (config.center)
    beta = add_weight({.name = "beta",
                       .shape = shape,
                       .initializer = config.beta_initializer,
                       .regularizer = config.beta_regularizer,
                       .constraint = config.beta_constraint});
  auto statistic = [&](const char* name, const Choice<Initializer>& initializer) {
    return add_weight(
        {.name = name, .shape = shape, .initializer = initializer, .trainable = false});
  };
  moving_mean = statistic("moving_mean", config.moving_mean_initializer);
  moving_variance = statistic("moving_variance", config.moving_variance_initializer);
  if (!config.renorm) return;
  const std::shared_ptr<Initializer> root =
      std::make_shared<RootOf>(config.moving_variance_initializer);
  const Choice<Initializer> deviation(root);
  moving_stddev_ = statistic("moving_stddev", deviation);
  renorm_mean_ = statistic("renorm_mean", config.moving_mean_initializer);
  renorm_stddev_ = statistic("renorm_stddev", deviation);
}

Tensor BatchNormalizationLayer::call(const Tensor& input, const Call& call) {
  const int axis = normalize_axis(config.axis, input.rank(), "option 'axis'");
  check_axis(input.shape(), axis == input.rank() - 1 ? -1 : axis, moving_mean.shape()[0]);
  if (call.mask && call.mask.rank() != input.rank() - 1)
    throw ShapeError(fmt::format("expected a mask of rank {} for input {}, found mask {}.",
                                 input.rank() - 1, input.shape().str(), call.mask.shape().str()));
  const DType dtype = result_type(input.dtype(), DType::float32);
  const bool follows = call.is_training() && trainable();
  if (follows && axis == input.rank() - 1 && !call.mask && !config.renorm) {
    const ops::NormalizedChannels found = ops::normalize_channels(
        is_float(input.dtype()) ? input : ops::cast(input, dtype), beta ? beta.value() : Tensor(),
        gamma ? gamma.value() : Tensor(), config.epsilon, compute_dtype());
    Transform t{found.mean, found.variance, {}, {}};
    follow(t);
    return found.y;
  }
  const Tensor x = ops::cast(input, dtype);
  // The weights' full precision, also under a mixed policy.
  Transform t{ops::cast(moving_mean.value(), dtype), ops::cast(moving_variance.value(), dtype),
              gamma ? ops::cast(gamma.value(), dtype) : Tensor(1.0),
              beta ? ops::cast(beta.value(), dtype) : Tensor(0.0)};
  if (follows) {
    std::vector<int64_t> others;
    for (int i = 0; i < x.rank(); ++i)
      if (i != axis) others.push_back(i);
    std::tie(t.mean, t.variance) =
        call.mask ? masked_moments(x, call.mask, others) : ops::moments(x, others);
    follow(t);
  }
  const Tensors affine = fused_many(
      dtype,
      [](Expr mean, Expr variance, Expr gamma, Expr beta, Expr epsilon) {
        Expr scale = gamma * expr::rsqrt(variance + epsilon);
        return std::vector<Expr>{scale, beta - mean * scale};
      },
      t.mean, t.variance, t.gamma, t.beta, Tensor(config.epsilon));
  Shape along_axis;
  for (int i = axis; i < x.rank(); ++i) along_axis.push_back(i == axis ? x.shape()[axis] : 1);
  const Tensor y = fused([](Expr x, Expr scale, Expr shift) { return x * scale + shift; }, x,
                         ops::reshape(affine[0], along_axis), ops::reshape(affine[1], along_axis));
  return ops::cast(y, compute_dtype());
}

void BatchNormalizationLayer::follow(Transform& t) {
  if (config.renorm) return renormalize(t);
  PauseRecording pause;
  moving_mean.assign(toward(moving_mean.value(), t.mean, config.momentum));
  moving_variance.assign(toward(moving_variance.value(), t.variance, config.momentum));
}

void BatchNormalizationLayer::renormalize(Transform& t) {
  Tensor r, d;
  {
    PauseRecording pause;
    const Tensor deviation = standard_deviation(t.variance, config.epsilon);
    const Tensor usual = ops::maximum(ops::cast(renorm_stddev_.value(), deviation.dtype()),
                                      Tensor(std::sqrt(config.epsilon)));
    r = deviation / usual;
    d = (t.mean - renorm_mean_.value()) / usual;
    const auto& clipping = config.renorm_clipping.get<Value::Dict>();
    auto bound = [&](const char* key) {
      const Value* v = cornu::detail::find(clipping, key);
      return v ? cornu::detail::from_value<std::optional<double>>(*v) : std::nullopt;
    };
    if (const auto rmin = bound("rmin")) r = ops::maximum(r, Tensor(*rmin));
    if (const auto rmax = bound("rmax")) r = ops::minimum(r, Tensor(*rmax));
    if (const auto dmax = bound("dmax")) d = ops::clip(d, Tensor(-*dmax), Tensor(*dmax));

    renorm_mean_.assign(toward(renorm_mean_.value(), t.mean, config.renorm_momentum));
    renorm_stddev_.assign(toward(renorm_stddev_.value(), deviation, config.renorm_momentum));
    moving_mean.assign(toward(moving_mean.value(), t.mean, config.momentum));
    moving_stddev_.assign(toward(moving_stddev_.value(), deviation, config.momentum));
    // Rounding must not make the variance negative.
    moving_variance.assign(ops::relu(ops::square(moving_stddev_.value()) - Tensor(config.epsilon)));
  }
  // (x r + d) gamma + beta = x (r gamma) + (d gamma + beta); r and d are constants to the gradient.
  t.beta = d * t.gamma + t.beta;
  t.gamma = r * t.gamma;
}

void register_batch_normalization(Catalog& c) {
  c.add<BatchNormalizationLayer>("keras.layers.BatchNormalization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::BatchNormalizationLayer,
                              cornu::layers::BatchNormalizationConfig>;
