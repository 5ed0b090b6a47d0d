// Products of operands that are rounded to 8-bit floats.
#include "float8_scales.h"

#include "../../framework/dispatch/custom_gradient.h"
#include "../../framework/dispatch/float8.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/float8.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

// Of values, and of gradients, which need a wider range.
constexpr const char *value_type = "float8_e4m3fn", *gradient_type = "float8_e5m2";

// What a step makes of a scale and its history: they go out as gradients, which the optimizer puts
// in the place of the values.
std::pair<Tensor, Tensor> next_state(const Tensor& x, const Tensor& scale, const Tensor& history,
                                     const char* dtype) {
  return {ops::compute_float8_scale(ops::max(history, 0), scale, Tensor(ops::float8_max(dtype))),
          ops::compute_float8_amax_history(x, history)};
}

// Of sums of products of numbers that were divided by these.
Tensor scaled(const Tensor& sums, const Tensor& first, const Tensor& second, DType compute) {
  const auto wide = [&](const Tensor& scale) {
    return ops::cast(ops::cast(scale, compute), sums.dtype());
  };
  return ops::cast(sums * (wide(first) * wide(second)), compute);
}

}  // namespace

Float8Scales::Float8Scales(Layer& layer) {
  const int64_t length = layer.own_dtype_policy().amax_history_length();
  const auto add = [&](const std::string& name, const Shape& shape, const char* initializer) {
    return layer.add_weight({.name = name,
                             .shape = shape,
                             .initializer = initializer,
                             .dtype = DType::float32,
                             .overwrite_with_gradient = true});
  };
  const auto track = [&](const std::string& name) {
    Variable scale = add(name + "_scale", {}, "ones");
    return Tracked{scale, add(name + "_amax_history", {length}, "zeros")};
  };
  inputs_ = track("inputs");
  kernel_ = track("kernel");
  outputs_grad_ = track("outputs_grad");
}

std::vector<Variable> Float8Scales::variables() const {
  std::vector<Variable> result;
  for (const Tracked& t : {inputs_, kernel_, outputs_grad_}) {
    result.push_back(t.scale);
    result.push_back(t.amax_history);
  }
  return result;
}

Tensor Float8Scales::rounded(const Tensor& x, const Tracked& state, bool training) {
  const Tensor inputs[] = {x, state.scale.value(), state.amax_history.value()};
  return custom_gradient(inputs, [training](std::span<const Tensor> in) -> WithGradient {
    Tensor scale, history;
    if (training) std::tie(scale, history) = next_state(in[0], in[1], in[2], value_type);
    return {{ops::quantize_and_dequantize(in[0], in[1], value_type, in[0].dtype())},
            [scale, history](std::span<const Tensor> dy) -> Tensors {
              return {dy[0], scale, history};
            }};
  })[0];
}

// As `product`, whose factors are numbers here that were divided by their scales.
Tensor Float8Scales::narrow_product(const Tensor& x, const Tensor& kernel, bool training,
                                    const KernelProduct& product) const {
  std::vector<Tensor> inputs{x, kernel};
  for (const Variable& v : variables()) inputs.push_back(v.value());
  return custom_gradient(inputs, [&](std::span<const Tensor> in) -> WithGradient {
    const Tensor &x = in[0], &kernel = in[1], &x_scale = in[2], &kernel_scale = in[4];
    const DType compute = x.dtype();
    Tensors states(4);
    if (training) {
      std::tie(states[0], states[1]) = next_state(x, x_scale, in[3], value_type);
      std::tie(states[2], states[3]) = next_state(kernel, kernel_scale, in[5], value_type);
    }
    const Tensor narrow_x = ops::quantize_to_float8(x, x_scale, value_type);
    const Tensor narrow_kernel = ops::quantize_to_float8(kernel, kernel_scale, value_type);
    return {{scaled(product.multiply(narrow_x, narrow_kernel), x_scale, kernel_scale, compute)},
            [=, input_gradient = product.input_gradient, kernel_gradient = product.kernel_gradient,
             scale = in[6], history = in[7]](std::span<const Tensor> gradients) -> Tensors {
              const Tensor& dy = gradients[0];
              const Tensor narrow_dy = ops::quantize_to_float8(dy, scale, gradient_type);
              const auto [next_scale, next_history] = next_state(dy, scale, history, gradient_type);
              return {
                  scaled(input_gradient(narrow_dy, narrow_kernel), scale, kernel_scale, compute),
                  scaled(kernel_gradient(narrow_x, narrow_dy), x_scale, scale, compute),
                  states[0],
                  states[1],
                  states[2],
                  states[3],
                  next_scale,
                  next_history};
            }};
  })[0];
}

Tensor Float8Scales::product(const Tensor& x, const Tensor& kernel, bool training,
                             const KernelProduct& product) const {
  if (product.input_gradient && multiplies_float8(x))
    return narrow_product(x, kernel, training, product);
  const Tensor y =
      product.multiply(rounded(x, inputs_, training), rounded(kernel, kernel_, training));
  const Tensor inputs[] = {y, outputs_grad_.scale.value(), outputs_grad_.amax_history.value()};
  return custom_gradient(inputs, [](std::span<const Tensor> in) -> WithGradient {
    return {{in[0]}, [scale = in[1], history = in[2]](std::span<const Tensor> dy) -> Tensors {
              const auto [next_scale, next_history] =
                  next_state(dy[0], scale, history, gradient_type);
              return {ops::quantize_and_dequantize(dy[0], scale, gradient_type, dy[0].dtype()),
                      next_scale, next_history};
            }};
  })[0];
}

}  // namespace cornu::layers
