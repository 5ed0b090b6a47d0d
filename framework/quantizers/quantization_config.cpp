// The kinds of quantization, and the names that stand for them.
#include "quantization_config.h"

#include <fmt/core.h>

namespace cornu::quantizers {

namespace {

// In files a missing option is an empty one, whatever the default of the argument is. Without any
// options, as for a name such as "int8", all of them have their defaults.
Value::Dict with_nulls(Value::Dict dict, std::initializer_list<const char*> keys) {
  if (dict.empty()) return dict;
  for (const char* key : keys)
    if (!detail::find(dict, key)) dict.emplace_back(key, Value());
  return dict;
}

void check_int8(const char* who, const Choice<Quantizer>& quantizer) {
  if (quantizer && quantizer->output_dtype() != DType::int8)
    throw ValueError(fmt::format("{}: weight_quantizer must have output_dtype int8, found {}.", who,
                                 dtype_name(quantizer->output_dtype())));
}

}  // namespace

Int8Quantization::Int8Quantization(Int8QuantizationOptions c) : Configured(std::move(c)) {
  check_int8("Int8QuantizationConfig", config.weight_quantizer);
}

std::shared_ptr<Int8Quantization> Int8Quantization::from_config(const Value::Dict& dict) {
  return Configured::from_config(with_nulls(dict, {"weight_quantizer", "activation_quantizer"}));
}

Int4Quantization::Int4Quantization(Int4QuantizationOptions c) : Configured(std::move(c)) {
  constexpr const char* who = "Int4QuantizationConfig";
  const auto& block = config.block_size;
  if (block && *block != -1 && *block <= 0)
    throw ValueError(
        fmt::format("{}: block_size must be positive, -1 or empty, found {}.", who, *block));
  if (block_size() && (config.weight_quantizer || config.activation_quantizer))
    throw ValueError(fmt::format(
        "{}: quantizers of one's own need block_size -1 or empty, found {}.", who, *block));
  check_int8(who, config.weight_quantizer);
  if (config.weight_quantizer &&
      config.weight_quantizer->value_range() != std::pair<double, double>(-8, 7))
    throw ValueError(fmt::format("{}: weight_quantizer must have the value_range [-8, 7].", who));
}

std::shared_ptr<Int4Quantization> Int4Quantization::from_config(const Value::Dict& dict) {
  return Configured::from_config(
      with_nulls(dict, {"weight_quantizer", "activation_quantizer", "block_size"}));
}

std::optional<int64_t> Int4Quantization::block_size() const {
  return config.block_size.value_or(-1) > 0 ? config.block_size : std::nullopt;
}

std::string Int4Quantization::policy_mode() const {
  return fmt::format("int4/{}", block_size().value_or(-1));
}

std::shared_ptr<Float8Quantization> Float8Quantization::from_config(const Value::Dict& dict) {
  for (const auto& [key, value] : dict) detail::unknown_key(key, {});
  return std::make_shared<Float8Quantization>();
}

void register_quantization_config(Catalog& c) {
  c.add<Int8Quantization>("keras.quantizers.Int8QuantizationConfig");
  c.add<Int4Quantization>("keras.quantizers.Int4QuantizationConfig");
  c.add<Float8Quantization>("keras.quantizers.Float8QuantizationConfig");
  c.add_alias("keras.quantizers", "int8", "Int8QuantizationConfig");
  c.add_alias("keras.quantizers", "int4", "Int4QuantizationConfig");
  c.add_alias("keras.quantizers", "float8", "Float8QuantizationConfig");
}

}  // namespace cornu::quantizers
