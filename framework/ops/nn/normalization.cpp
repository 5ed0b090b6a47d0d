// Normalization: one Normalize kernel where the axes come last, else programs.
#include "normalization.h"

#include <fmt/core.h>

#include "../../dispatch/complex.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../linalg/norm.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../numpy/statistics.h"
#include "../operators.h"
#include "../random/distributions.h"

namespace cornu::ops {

namespace {

using Optional = std::optional<Tensor>;

constexpr double default_epsilon = 1e-7;

bool trailing(const InlineVector<int, 6>& axes, int rank) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != rank - static_cast<int>(axes.size() - i)) return false;
  return !axes.empty();
}

// A weight as operations want it, if there is one.
Tensor weight_of(const Optional& weight) {
  if (!weight || !*weight) return {};
  return is_float(weight->dtype()) ? *weight : cast(*weight, DType::float32);
}

// The Normalize kernel over the axes of `sizes`, which are the last ones.
Tensor normalize_rows(const Tensor& x, const Shape& sizes, const Tensor& scale,
                      const Tensor& offset, bool centered, double epsilon) {
  const int lead = x.rank() - sizes.rank();
  Shape rows = x.shape().slice(0, lead);
  const TensorSpec statistics{rows, x.dtype() == DType::float64 ? x.dtype() : DType::float32};
  rows.push_back(sizes.numel());
  const backend::Normalize kernel{.channels = false,
                                  .centered = centered,
                                  .scale = static_cast<bool>(scale),
                                  .offset = static_cast<bool>(offset),
                                  .epsilon = epsilon};
  Tensors inputs = {reshape(x, rows)};
  for (const Tensor& weight : {scale, offset})
    if (weight) inputs.push_back(reshape(weight, {sizes.numel()}));
  const TensorSpec outputs[] = {{rows, x.dtype()}, statistics, statistics};
  return reshape(apply(kernel, inputs, outputs)[0], x.shape());
}

Shape sizes_of(const Shape& shape, const InlineVector<int, 6>& axes) {
  Shape sizes;
  for (int a : axes) sizes.push_back(shape[a]);
  return sizes;
}

// The vector with size 1 along x's other axes.
Tensor along(const Tensor& vector, const Tensor& x, int axis, const char* name) {
  const int64_t size = x.shape()[axis];
  if (vector.shape() != Shape{size})
    throw ShapeError(
        fmt::format("batch_normalization: argument '{}' has shape {}, expected ({},): the size of "
                    "axis {} of x {}.",
                    name, vector.shape().str(), size, axis, x.shape().str()));
  Shape shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  shape[axis] = size;
  return reshape(vector, shape);
}

// The weight with size 1 along x's axes that are not normalized, in x's dtype.
Tensor spread(const Tensor& weight, const Tensor& x, const InlineVector<int, 6>& axes,
              double otherwise) {
  if (!weight) return Tensor(otherwise);
  const Tensor w = cast(weight, x.dtype());
  if (w.rank() == x.rank()) return w;
  Shape shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  for (int a : axes) shape[a] = x.shape()[a];
  return reshape(w, shape);
}

Tensor inverse_root(const Tensor& x, double epsilon) {
  return fused([](Expr x, Expr epsilon) { return expr::rsqrt(x + epsilon); }, x, Tensor(epsilon));
}

}  // namespace

Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                           int64_t axis, const Optional& offset, const Optional& scale,
                           double epsilon) {
  if (is_symbolic(x, mean, variance, offset, scale))
    return symbolic_call(&batch_normalization, x, mean, variance, axis, offset, scale, epsilon);
  const int a = normalize_axis(axis, x.rank(), "batch_normalization: axis");
  auto vector = [&](const Optional& v, const char* name, double otherwise) {
    return v && *v ? along(*v, x, a, name) : Tensor(otherwise);
  };
  const Tensor factor =
      fused([](Expr variance, Expr scale,
               Expr epsilon) { return expr::rsqrt(variance + epsilon) * scale; },
            along(variance, x, a, "variance"), vector(scale, "scale", 1), Tensor(epsilon));
  const Tensor shift =
      fused([](Expr mean, Expr factor, Expr offset) { return offset - mean * factor; },
            along(mean, x, a, "mean"), factor, vector(offset, "offset", 0));
  return fused([](Expr x, Expr factor, Expr shift) { return x * factor + shift; }, x, factor,
               shift);
}

Tensor layer_normalization(const Tensor& input, const Optional& gamma, const Optional& beta,
                           const Axes& axis, std::optional<double> epsilon_option,
                           bool rms_scaling) {
  if (is_symbolic(input, gamma, beta))
    return symbolic_call(&layer_normalization, input, gamma, beta, axis, epsilon_option,
                         rms_scaling);
  const double epsilon = epsilon_option.value_or(default_epsilon);
  const auto axes = axis.resolve(input.rank());
  const Shape sizes = sizes_of(input.shape(), axes);
  const Tensor scale = weight_of(gamma), offset = weight_of(beta);
  auto fits = [&](const Tensor& weight) { return !weight || weight.shape() == sizes; };
  if (!rms_scaling && trailing(axes, input.rank()) && fits(scale) && fits(offset)) {
    const Tensor x = is_float(input.dtype()) ? input : cast(input, DType::float32);
    return cast(normalize_rows(x, sizes, scale, offset, true, epsilon), input.dtype());
  }
  const Tensor x = cast(input, result_type(input.dtype(), DType::float32));
  const Tensor a = spread(scale, x, axes, 1);
  const auto [mean, variance] = moments(x, axis, true);
  const Tensor inverse = inverse_root(variance, epsilon);
  const Tensor y = rms_scaling ? fused([](Expr x, Expr inverse, Expr a) { return x * inverse * a; },
                                       x, inverse, a)
                               : fused([](Expr x, Expr mean, Expr inverse, Expr a,
                                          Expr b) { return (x - mean) * inverse * a + b; },
                                       x, mean, inverse, a, spread(offset, x, axes, 0));
  return cast(y, input.dtype());
}

Tensor rms_normalization(const Tensor& input, const Optional& scale_option, const Axes& axis,
                         std::optional<double> epsilon_option) {
  if (is_symbolic(input, scale_option))
    return symbolic_call(&rms_normalization, input, scale_option, axis, epsilon_option);
  const double epsilon = epsilon_option.value_or(default_epsilon);
  if (input.rank() == 0)
    return rms_normalization(reshape(input, {1}), scale_option, axis, epsilon_option);
  const auto axes = axis.resolve(input.rank());
  const Shape sizes = sizes_of(input.shape(), axes);
  const Tensor scale = weight_of(scale_option);
  if (trailing(axes, input.rank()) && (!scale || scale.shape() == sizes)) {
    const Tensor x = is_float(input.dtype()) ? input : cast(input, DType::float32);
    return cast(normalize_rows(x, sizes, scale, {}, false, epsilon), input.dtype());
  }
  const Tensor x = cast(input, result_type(input.dtype(), DType::float32));
  Tensor y = x * inverse_root(mean(square(x), axis, true), epsilon);
  if (scale) y = y * cast(scale, x.dtype());
  return cast(y, input.dtype());
}

Tensor normalize(const Tensor& input, const Axes& axis, int64_t order,
                 std::optional<double> epsilon_option) {
  if (is_symbolic(input)) return symbolic_call(&normalize, input, axis, order, epsilon_option);
  if (order < 1)
    throw ValueError(
        fmt::format("normalize: argument 'order' must be at least 1, found {}.", order));
  const double epsilon = epsilon_option.value_or(default_epsilon);
  const Tensor x = input.rank() == 0 ? reshape(input, {1}) : input;
  // A vector of zeros is multiplied by a constant, so that its gradient is finite: that of the root
  // is not.
  if (order == 2)
    return fused(
        [](Expr x, Expr sum, Expr most) {
          const Expr root = expr::rsqrt(expr::select(sum, sum, 1.0));
          return x * expr::select(sum, expr::minimum(root, most), most);
        },
        x, sum(square(x), axis, true), Tensor(1 / epsilon));
  const double p = static_cast<double>(order);
  const Tensor powers = order == 1 ? abs(x) : power(abs(x), Tensor(p));
  Tensor norm = sum(powers, axis, true);
  if (order != 1) norm = power(norm, Tensor(1 / p));
  return x / maximum(norm, Tensor(epsilon));
}

NormalizedChannels normalize_channels(const Tensor& x, const Tensor& offset, const Tensor& scale,
                                      double epsilon, DType dtype) {
  const TensorSpec statistics{{x.shape().back()},
                              x.dtype() == DType::float64 ? x.dtype() : DType::float32};
  const backend::Normalize kernel{
      .scale = static_cast<bool>(scale), .offset = static_cast<bool>(offset), .epsilon = epsilon};
  Tensors inputs = {x};
  for (const Tensor& weight : {scale, offset})
    if (weight) inputs.push_back(weight);
  const TensorSpec outputs[] = {{x.shape(), dtype}, statistics, statistics};
  Tensors results = apply(kernel, inputs, outputs);
  return {results[0], results[1], results[2]};
}

std::pair<Tensor, Tensor> moments(const Tensor& x, const Axes& axes, bool keepdims,
                                  bool synchronized) {
  if (is_symbolic(x)) return symbolic_call(&moments, x, axes, keepdims, synchronized);
  if (is_complex(x.dtype())) refuse_complex("moments");
  const bool narrow = is_float(x.dtype()) && size_of(x.dtype()) < 4;
  const Tensor wide = narrow ? cast(x, DType::float32) : x;
  const Tensor average = mean(wide, axes, true);
  Tensor variance = mean(square(wide - average), axes, keepdims);
  Tensor result = keepdims ? average : reshape(average, variance.shape());
  if (!narrow) return {result, variance};
  // Statistics beyond float16's range stay finite, for bfloat16 too.
  auto narrowed = [&](const Tensor& y) {
    constexpr double most = 65504;
    return cast(
        fused([](Expr y, Expr most) { return expr::maximum(expr::minimum(y, most), -most); }, y,
              Tensor(most)),
        x.dtype());
  };
  return {narrowed(result), narrowed(variance)};
}

void list_nn_normalization(OpCatalog& catalog) {
  catalog.add("nn.BatchNorm",
              {"x", "mean", "variance", "axis", "offset=None", "scale=None", "epsilon=0.001"},
              &batch_normalization);
  catalog.add("nn.LayerNorm",
              {"x", "gamma=None", "beta=None", "axis=-1", "epsilon=None", "rms_scaling=False"},
              &layer_normalization);
  catalog.add("nn.RMSNorm", {"x", "scale=None", "axis=-1", "epsilon=None"}, &rms_normalization);
  catalog.add("nn.Normalize", {"x", "axis=-1", "order=2", "epsilon=None"}, &normalize);
  catalog.add("nn.Moments", {"x", "axes", "keepdims=False", "synchronized=False"}, &moments);
}

}  // namespace cornu::ops
