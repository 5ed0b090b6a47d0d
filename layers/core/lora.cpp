// Low-rank updates of weights.
#include "lora.h"

#include <fmt/core.h>

#include "../../framework/base/class_of.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

void throw_not_built(const Layer& layer, const char* method) {
  throw StateError(
      fmt::format("{}: layer '{}' ({}) is not built yet. Call it on data or build it before.",
                  method, layer.path(), class_of(layer)));
}

Lora::Lora(Layer& layer, const std::string& name, const Shape& shape, Variable& frozen,
           int64_t lora_rank, const LoraOptions& options, const Choice<Regularizer>& regularizer,
           const Choice<Constraint>& constraint)
    : rank(lora_rank), alpha(options.lora_alpha.value_or(static_cast<double>(lora_rank))) {
  check_positive("lora_rank", rank);
  if (constraint)
    throw ValueError(fmt::format(
        "LoRA does not go with a constraint of the weight. Leave out '{}_constraint'.", name));
  if (!frozen) throw_not_built(layer, "enable_lora");
  // Small updates would be lost in 16 bits.
  a = layer.add_weight({.name = "lora_" + name + "_a",
                        .shape = concat(shape.slice(0, shape.rank() - 1), {rank}),
                        .initializer = options.a_initializer,
                        .dtype = DType::float32,
                        .regularizer = regularizer});
  b = layer.add_weight({.name = "lora_" + name + "_b",
                        .shape = {rank, shape.back()},
                        .initializer = options.b_initializer,
                        .dtype = DType::float32,
                        .regularizer = regularizer});
  frozen.set_trainable(false);
}

Tensor Lora::update() const {
  return ops::matmul(a, b) * Tensor(alpha / static_cast<double>(rank));
}

Tensor Lora::rows(const Tensor& indices) const {
  return ops::matmul(ops::take(a, indices, 0), b) * Tensor(alpha / static_cast<double>(rank));
}

Variable Lora::merged(const Variable& weight) const {
  return Variable(ops::cast(weight.value() + update(), weight.dtype()), {.name = weight.name()});
}

void Lora::reset() {
  a.assign(ops::zeros(a.shape()));
  b.assign(ops::zeros(b.shape()));
}

Tensor adapted_kernel(const Lora& lora, const Variable& kernel, DType compute_dtype) {
  return ops::cast(Tensor(kernel) + lora.update(), compute_dtype);
}

void check_no_lora(const std::unique_ptr<Lora>& lora) {
  if (lora) throw StateError("enable_lora: LoRA is enabled already, which can be done only once.");
}

Value::Dict without_empty_lora(Value::Dict config) {
  return without_nulls(config, {"lora_rank", "lora_alpha"});
}

}  // namespace cornu::layers
