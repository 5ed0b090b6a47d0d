// Changing what weights a layer has: fewer bits, those of others.
#include <fmt/core.h>

#include <algorithm>

#include "../quantizers/quantization_config.h"
#include "serialization.h"

namespace cornu {

void Layer::remove_weight(const Variable& weight) {
  const auto found = std::find(weights_.begin(), weights_.end(), weight);
  if (found == weights_.end()) return;
  if (static_cast<size_t>(found - weights_.begin()) < trainable_weights_) --trainable_weights_;
  weights_.erase(found);
}

void Layer::share_weight(const Variable& weight) {
  if (weight.trainable())
    weights_.insert(weights_.begin() + static_cast<std::ptrdiff_t>(trainable_weights_++), weight);
  else
    weights_.push_back(weight);
}

void Layer::save_own_variables(VariableStore& store) const {
  const auto* own = dynamic_cast<const CustomSerialization*>(this);
  store.set_all(own ? own->weights_to_write() : own_weights());
}

void Layer::load_own_variables(const VariableStore& store) {
  if (auto* own = dynamic_cast<CustomSerialization*>(this))
    store.assign_to(own->weights_to_read(), [own] { own->weights_were_read(); });
  else
    store.assign_to(own_weights());
}

void Layer::quantize(const Choice<QuantizationConfig>& config) {
  if (!config) throw ValueError("quantize: no mode given. Known are 'int8', 'int4' and 'float8'.");
  auto* self = dynamic_cast<Quantizable*>(this);
  if (!self)
    throw UnsupportedError(
        fmt::format("quantize: layer '{}' ({}) cannot be quantized.", name(), base_name()));
  if (!built_)
    throw StateError(fmt::format(
        "quantize: layer '{}' is not built yet. Call it on data or build it before.", name()));
  if (policy_.is_quantized())
    throw StateError(fmt::format("quantize: layer '{}' is quantized already, with policy '{}'.",
                                 name(), policy_.name()));
  std::string mode = config->mode();
  if (mode == "int4") mode += fmt::format("/{}", config->block_size().value_or(-1));
  const DTypePolicy quantized = DTypePolicy::quantized(mode, policy_);
  self->quantize_weights(config);
  policy_ = quantized;
}

void Layer::set_dtype_policy(const DTypePolicy& policy) {
  if (policy.is_quantized() && built_ && !policy_.is_quantized()) {
    const std::string mode = policy.quantization_mode();
    if (mode == "int4")
      quantize(Choice<QuantizationConfig>(
          quantizers::Int4QuantizationConfig({.block_size = policy.block_size()})));
    else
      quantize(mode);
  }
  policy_ = policy;
}

}  // namespace cornu
