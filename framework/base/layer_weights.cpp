// Changing what weights a layer has: fewer bits, those of others.
#include <fmt/core.h>

#include <algorithm>

#include "../quantizers/quantization_config.h"
#include "class_of.h"
#include "dtype_policy_map.h"
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

Tensor Quantizable::calibration_matrix() const {
  throw UnsupportedError("quantize: this layer has no kernel that calibration could quantize.");
}

void Quantizable::take_calibrated(const Choice<QuantizationConfig>&, const CalibratedKernel&) {
  calibration_matrix();
}

void Layer::check_can_quantize(const Choice<QuantizationConfig>& config) const {
  if (!config)
    throw ValueError(
        "quantize: no mode given. Known are 'int8', 'int4', 'float8', 'gptq' and 'awq'.");
  if (!dynamic_cast<const Quantizable*>(this))
    throw UnsupportedError(
        fmt::format("quantize: layer '{}' ({}) cannot be quantized.", name(), class_of(*this)));
  if (!built_)
    throw StateError(fmt::format(
        "quantize: layer '{}' is not built yet. Call it on data or build it before.", name()));
  if (own_dtype_policy().is_quantized())
    throw StateError(fmt::format("quantize: layer '{}' is quantized already, with policy '{}'.",
                                 name(), own_dtype_policy().name()));
}

void Layer::quantize(const Choice<QuantizationConfig>& config) {
  check_can_quantize(config);
  if (config->needs_calibration())
    throw UnsupportedError(fmt::format(
        "quantize: '{}' needs calibration data, which go through the model. Call the model's "
        "quantize, with filters that choose layer '{}'.",
        config->mode(), name()));
  const DTypePolicy quantized = DTypePolicy::quantized(config->policy_mode(), own_dtype_policy());
  dynamic_cast<Quantizable&>(*this).quantize_weights(config);
  put_dtype_policy(quantized);
}

void Layer::quantize(const Choice<QuantizationConfig>& config, const CalibratedKernel& kernel) {
  check_can_quantize(config);
  if (!config->needs_calibration())
    throw ValueError(fmt::format(
        "quantize: '{}' needs no calibration; leave out the calibrated kernel.", config->mode()));
  const DTypePolicy quantized = DTypePolicy::quantized(config->policy_mode(), own_dtype_policy());
  dynamic_cast<Quantizable&>(*this).take_calibrated(config, kernel);
  put_dtype_policy(quantized);
}

// Notes the policy, and does no more.
void Layer::put_dtype_policy(const DTypePolicy& policy) {
  if (!policy_.is_map() || built_path_.empty()) {
    policy_ = policy;
    return;
  }
  DTypePolicyMap map = DTypePolicyMap::of(policy_);
  if (map.contains(built_path_)) map.erase(built_path_);
  map.set(built_path_, policy);
}

void Layer::set_dtype_policy(const DTypePolicy& policy) {
  if (policy.is_quantized() && built_ && !own_dtype_policy().is_quantized()) {
    const std::string mode = policy.quantization_mode();
    if (mode == "gptq" || mode == "awq")
      throw UnsupportedError(fmt::format(
          "set_dtype_policy: '{}' needs calibration data. Call quantize of the model of layer "
          "'{}'.",
          policy.name(), name()));
    if (mode == "int4")
      quantize(Choice<QuantizationConfig>(
          quantizers::Int4QuantizationConfig({.block_size = policy.block_size()})));
    else
      quantize(mode);
  }
  put_dtype_policy(policy);
}

}  // namespace cornu
