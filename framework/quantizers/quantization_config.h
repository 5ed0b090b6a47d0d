// QuantizationConfig: what `quantize` makes of a layer's weights, "int8", "int4" or "float8".
#pragma once
#include "abs_max_quantizer.h"

namespace cornu {

/// Base of Int8QuantizationConfig, Int4QuantizationConfig and Float8QuantizationConfig, which the
/// names "int8", "int4" and "float8" stand for with their defaults, and of GPTQConfig and
/// AWQConfig.
class QuantizationConfig : public Configurable {
 public:
  static constexpr const char* module = "keras.quantizers";  ///< where names are looked up
  /// "int8", "int4", "float8", "gptq" or "awq".
  virtual const char* mode() const = 0;
  /// The mode as names of dtype policies have it, such as "int4/128"; by default mode().
  virtual std::string policy_mode() const { return mode(); }
  /// Whether it needs calibration data, and so the model that the layers are in.
  virtual bool needs_calibration() const { return false; }
  /// For the weights; empty: the mode's own.
  virtual Choice<Quantizer> weight_quantizer() const { return {}; }
  /// For a layer's inputs; empty: they stay floats.
  virtual Choice<Quantizer> activation_quantizer() const { return {}; }
  /// How many numbers of a channel share a scale; nothing: all.
  virtual std::optional<int64_t> block_size() const { return {}; }
};

namespace quantizers {

/// Options of Int8QuantizationConfig, as in Keras.
struct Int8QuantizationOptions {
  Choice<Quantizer> weight_quantizer = {};                     ///< default: the layer's own
  Choice<Quantizer> activation_quantizer = AbsMaxQuantizer();  ///< of inputs; empty: weights only
};

/// Weights in [-127, 127] with a scale for each channel; inputs become integers too unless
/// activation_quantizer is empty. Throws ValueError for a weight quantizer that does not give int8.
class Int8Quantization
    : public Configured<Int8Quantization, Int8QuantizationOptions, QuantizationConfig> {
 public:
  /// Throws ValueError for a weight quantizer that does not give int8.
  explicit Int8Quantization(Int8QuantizationOptions c);
  /// A config object from its options.
  static std::shared_ptr<Int8Quantization> from_config(const Value::Dict& dict);
  const char* mode() const override { return "int8"; }
  Choice<Quantizer> weight_quantizer() const override { return config.weight_quantizer; }
  Choice<Quantizer> activation_quantizer() const override { return config.activation_quantizer; }
};
using Int8QuantizationConfig =
    Ref<Int8Quantization>;  ///< a shared Int8Quantization, made from its options

/// Options of Int4QuantizationConfig, as in Keras.
struct Int4QuantizationOptions {
  Choice<Quantizer> weight_quantizer = {};      ///< default: the layer's own
  Choice<Quantizer> activation_quantizer = {};  ///< of inputs; default: they stay floats
  /// So many numbers of a channel have a scale and a zero point; std::nullopt or -1: all of it has
  /// one scale.
  std::optional<int64_t> block_size = 128;
};

/// Weights in [-8, 7], two in a byte. Throws ValueError for quantizers together with blocks, and
/// for a weight quantizer with another range or dtype.
class Int4Quantization
    : public Configured<Int4Quantization, Int4QuantizationOptions, QuantizationConfig> {
 public:
  /// Throws ValueError for quantizers together with blocks, or of another range or dtype.
  explicit Int4Quantization(Int4QuantizationOptions c);
  /// A config object from its options.
  static std::shared_ptr<Int4Quantization> from_config(const Value::Dict& dict);
  const char* mode() const override { return "int4"; }
  Choice<Quantizer> weight_quantizer() const override { return config.weight_quantizer; }
  Choice<Quantizer> activation_quantizer() const override { return config.activation_quantizer; }
  std::optional<int64_t> block_size() const override;
  std::string policy_mode() const override;
};
using Int4QuantizationConfig =
    Ref<Int4Quantization>;  ///< a shared Int4Quantization, made from its options

/// Float8QuantizationConfig has no options.
struct Float8QuantizationOptions {};

/// Training with products of 8-bit floats, https://arxiv.org/abs/2209.05433.
class Float8Quantization : public QuantizationConfig {
 public:
  using Config = Float8QuantizationOptions;    ///< the options
  explicit Float8Quantization(Config = {}) {}  ///< nothing to set
  /// A config object; the dictionary is empty.
  static std::shared_ptr<Float8Quantization> from_config(const Value::Dict&);
  Value::Dict get_config() const override { return {}; }
  const char* mode() const override { return "float8"; }
};
using Float8QuantizationConfig =
    Ref<Float8Quantization>;  ///< a shared Float8Quantization, made from its options

}  // namespace quantizers
}  // namespace cornu
