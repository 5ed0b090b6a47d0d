// Weights in few bits.
#include "quantized.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "../../framework/dispatch/custom_gradient.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/quantization.h"

namespace cornu::layers {

namespace {

// The shape of a weight's scales before they take the form in which they are kept: its axes in
// their order there, those that are summed with size 1.
Shape ordered_scale_shape(const WeightForm& form) {
  Shape kept = form.shape;
  for (int64_t axis : form.summed) kept[static_cast<int>(axis)] = 1;
  if (form.scale_order.empty()) return kept;
  Shape ordered;
  for (int64_t axis : form.scale_order) ordered.push_back(kept[static_cast<int>(axis)]);
  return ordered;
}

Tensor reordered(const Tensor& scale, const WeightForm& form) {
  return form.scale_order.empty() ? scale : ops::transpose(scale, form.scale_order);
}

Tensor reordered_back(const Tensor& scale, const WeightForm& form) {
  if (form.scale_order.empty()) return scale;
  std::vector<int64_t> back(form.scale_order.size());
  for (size_t i = 0; i < back.size(); ++i)
    back[static_cast<size_t>(form.scale_order[i])] = static_cast<int64_t>(i);
  return ops::transpose(scale, back);
}

Tensor divided(const Tensor& integers, const Tensor& scale) {
  return fused([](Expr n, Expr scale) { return n / scale; }, ops::cast(integers, scale.dtype()),
               scale);
}

// The axes that a quantizer reduces: `summed`, which a quantizer's own axes must not contradict.
Axes axes_for(const Choice<Quantizer>& quantizer, const std::vector<int64_t>& summed, int rank) {
  if (const auto own = quantizer->axes();
      own && Axes(*own).resolve(rank) != Axes(summed).resolve(rank))
    throw ValueError(fmt::format(
        "quantize: the weight quantizer reduces axis {}, but the scales of this weight serve axis "
        "{}. Leave out the quantizer's axis.",
        Shape(*own).str(), Shape(summed).str()));
  return Axes(summed);
}

}  // namespace

// --- a weight ------------------------------------------------------------------------------------

QuantizedWeight::QuantizedWeight(Layer& layer, WeightForm form, const std::string& mode,
                                 std::optional<int64_t> block_size,
                                 const QuantizedWeight* groups_of)
    : form_(std::move(form)),
      int4_(mode == "int4"),
      block_size_(int4_ ? block_size : std::nullopt) {
  Shape stored = int4_ ? form_.matrix : form_.shape;
  if (int4_) stored[form_.packed_side] = (stored[form_.packed_side] + 1) / 2;
  Shape scale_shape = form_.scale_shape;
  const int64_t along = int4_ ? form_.matrix[form_.summed_side] : 0;
  if (int4_) {
    const int64_t channels = form_.matrix[1 - form_.summed_side];
    scale_shape = {channels};
    if (block_size_)
      scale_shape.insert(form_.summed_side, (along + *block_size_ - 1) / *block_size_);
  }
  const auto add = [&](const std::string& name, const Shape& shape, const char* initializer,
                       OptionalDType dtype) {
    return layer.add_weight({.name = name,
                             .shape = shape,
                             .initializer = initializer,
                             .dtype = dtype,
                             .trainable = false});
  };
  values = add(form_.name, stored, "zeros", DType::int8);
  scale = add(form_.name + "_scale", scale_shape, "ones", {});
  if (!block_size_) return;
  zero = add(form_.name + "_zero", scale_shape, "zeros", form_.zero_dtype);
  owns_groups_ = !groups_of;
  if (groups_of) {
    groups = groups_of->groups;
    return;
  }
  groups = add("g_idx", {along}, "zeros", DType::float32);
  groups.assign(ops::floor_divide(ops::arange(0, along, 1, DType::float32), Tensor(*block_size_)));
}

QuantizedWeight::Numbers QuantizedWeight::quantize(const Tensor& weight,
                                                   const Choice<Quantizer>& given) const {
  const int rank = weight.rank();
  if (!int4_) {
    const Choice<Quantizer> quantizer =
        given ? given : Choice<Quantizer>(quantizers::AbsMaxQuantizer());
    const auto [integers, scales] = (*quantizer)(weight, axes_for(quantizer, form_.summed, rank));
    return {integers, ops::reshape(reordered(scales, form_), form_.scale_shape), {}};
  }
  const Tensor matrix = ops::reshape(weight, form_.matrix);
  Numbers result;
  if (!block_size_) {
    const Choice<Quantizer> quantizer =
        given ? given : Choice<Quantizer>(quantizers::AbsMaxQuantizer({.value_range = {-8, 7}}));
    const auto [integers, scales] =
        (*quantizer)(matrix, axes_for(quantizer, {form_.summed_side}, 2));
    result = {integers, ops::reshape(scales, scale.shape()), {}};
  } else {
    const bool turned = form_.summed_side == 1;
    auto parts = ops::abs_max_quantize_grouped_with_zero_point(
        turned ? ops::transpose(matrix) : matrix, *block_size_);
    if (turned)
      for (Tensor& part : parts) part = ops::transpose(part);
    result = {parts[0], parts[1], parts[2]};
  }
  result.values = ops::pack_int4(result.values, form_.packed_side).list()[0].tensor();
  return result;
}

void QuantizedWeight::assign(const Tensor& weight, const Choice<Quantizer>& quantizer) {
  const Numbers numbers = quantize(weight, quantizer);
  values.assign(numbers.values);
  scale.assign(numbers.scale);
  if (zero) zero.assign(numbers.zero);
}

// Reads the scales uncast: 16 bits of a compute dtype would lose digits of every weight.
Tensor QuantizedWeight::broadcast_scale() const {
  return reordered_back(ops::reshape(scale.value(), ordered_scale_shape(form_)), form_);
}

Tensor QuantizedWeight::dequantized(DType dtype) const {
  if (!int4_) return ops::cast(divided(values.value(), broadcast_scale()), dtype);
  const int side = form_.summed_side;
  const Tensor integers =
      ops::unpack_int4(values.value(), form_.matrix[form_.packed_side], form_.packed_side);
  const Tensor floats =
      block_size_
          ? ops::dequantize_with_sz_map(integers, scale.value(), zero.value(), groups.value(), side)
          : divided(integers, side == 0 ? scale.value() : ops::expand_dims(scale.value(), {-1}));
  return ops::cast(ops::reshape(floats, form_.shape), dtype);
}

Tensor QuantizedWeight::rows(const Tensor& indices, DType dtype) const {
  const Tensor stored = ops::take(values.value(), indices, 0);
  const Tensor integers = int4_ ? ops::unpack_int4(stored, form_.matrix[1], -1) : stored;
  const Tensor scales = ops::take(scale.value(), indices, 0);
  return ops::cast(
      block_size_ ? ops::dequantize_with_sz_map(
                        integers, scales, ops::take(zero.value(), indices, 0), groups.value(), -1)
                  : divided(integers, ops::expand_dims(scales, {-1})),
      dtype);
}

std::vector<Variable> QuantizedWeight::file_variables(const Lora* lora) const {
  std::vector<Variable> result = {values, scale};
  if (zero) result.push_back(zero);
  if (lora) {
    const Numbers merged = quantize(dequantized(DType::float32) + lora->update(), {});
    const Tensor parts[] = {merged.values, merged.scale, merged.zero};
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = Variable(ops::cast(parts[i], result[i].dtype()), {.name = result[i].name()});
  }
  if (groups && owns_groups_) result.push_back(groups);
  return result;
}

void remove_added_weights(Layer& layer, const std::vector<Variable>& before) {
  const std::vector<Variable> now = layer.own_weights();
  for (const Variable& v : now)
    if (std::find(before.begin(), before.end(), v) == before.end()) layer.remove_weight(v);
}

// --- inputs --------------------------------------------------------------------------------------

Choice<Quantizer> activation_quantizer(const Choice<QuantizationConfig>& config,
                                       const Choice<Quantizer>& fallback) {
  return config ? config->activation_quantizer() : fallback;
}

std::optional<int64_t> block_size_of(const Choice<QuantizationConfig>& config,
                                     const DTypePolicy& policy) {
  return config && std::string(config->mode()) == "int4" ? config->block_size()
                                                         : policy.block_size();
}

Tensor straight_through(const Quantizer& quantizer, const Tensor& x, const Axes& axes) {
  return custom_gradient(x, [&](const Tensor& x) {
    const auto [integers, scale] = quantizer(x, axes);
    return std::pair<Tensor, std::function<Tensor(const Tensor&)>>(
        divided(integers, scale), [](const Tensor& dy) { return dy; });
  });
}

}  // namespace cornu::layers
