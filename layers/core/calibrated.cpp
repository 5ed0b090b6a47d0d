// A kernel that GPTQ or AWQ has put into few bits.
#include "calibrated.h"

#include <fmt/core.h>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/quantization.h"

namespace cornu::layers {

namespace {

int64_t group_count(int64_t features, int64_t group_size) {
  return group_size == -1 ? 1 : (features + group_size - 1) / group_size;
}

}  // namespace

void check_calibrated(const CalibratedKernel& kernel, const Shape& matrix, int64_t group_size,
                      bool awq) {
  const int64_t features = matrix[0], channels = matrix[1];
  const Shape per_group = {channels, group_count(features, group_size)};
  const auto check = [](const char* what, const Tensor& found, const Shape& expected) {
    if (!found || found.shape() != expected)
      throw ShapeError(fmt::format("quantize: expected {} of shape {}, found {}.", what,
                                   expected.str(), found ? found.shape().str() : "none"));
  };
  check("a calibrated kernel's values", kernel.values, {channels, features});
  check("its scale", kernel.scale, per_group);
  check("its zero", kernel.zero, per_group);
  check("its groups", kernel.groups, {features});
  if (awq) check("its awq_scales", kernel.awq_scales, {features});
}

CalibratedWeight::CalibratedWeight(Layer& layer, const Shape& shape, const CalibratedForm& form,
                                   const DTypePolicy& policy)
    : shape_(shape), packed_(policy.weight_bits() == 4) {
  if (form.matrix.empty())
    throw UnsupportedError(fmt::format("'{}' is for kernels of two axes, or three, found {}.",
                                       policy.quantization_mode(), shape.str()));
  const int64_t features = form.matrix[0];
  channels_ = form.matrix[1];
  const Shape per_group = {channels_, group_count(features, policy.group_size())};
  const auto add = [&](const char* name, const Shape& size, const char* initializer,
                       OptionalDType dtype) {
    return layer.add_weight({.name = name,
                             .shape = size,
                             .initializer = initializer,
                             .dtype = dtype,
                             .trainable = false});
  };
  values =
      add("kernel", {packed_ ? (channels_ + 1) / 2 : channels_, features}, "zeros", DType::uint8);
  scale = add("kernel_scale", per_group, "ones", {});
  zero = add(form.zero_name, per_group, "zeros", DType::uint8);
  if (policy.quantization_mode() == "awq") awq_scales = add("awq_scales", {features}, "ones", {});
  groups = add("g_idx", {features}, "zeros", DType::float32);
}

void CalibratedWeight::assign(const CalibratedKernel& kernel) {
  values.assign(packed_ ? ops::pack_int4(kernel.values, 0, DType::uint8).list()[0].tensor()
                        : kernel.values);
  scale.assign(ops::cast(kernel.scale, scale.dtype()));
  zero.assign(kernel.zero);
  if (awq_scales) awq_scales.assign(ops::cast(kernel.awq_scales, awq_scales.dtype()));
  groups.assign(kernel.groups);
}

// Reads the scales uncast: 16 bits of a compute dtype would lose digits of every weight.
Tensor CalibratedWeight::dequantized(DType dtype) const {
  const Tensor integers =
      packed_ ? ops::unpack_int4(values.value(), channels_, 0, DType::uint8) : values.value();
  Tensor kernel = ops::transpose(
      ops::dequantize_with_sz_map(integers, scale.value(), zero.value(), groups.value()));
  if (awq_scales) kernel = kernel / ops::expand_dims(awq_scales.value(), {-1});
  return ops::cast(ops::reshape(kernel, shape_), dtype);
}

std::vector<Variable> CalibratedWeight::variables() const {
  if (awq_scales) return {values, scale, zero, awq_scales, groups};
  return {values, scale, zero, groups};
}

}  // namespace cornu::layers
