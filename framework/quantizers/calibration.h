// What quantization learns from data: the data, where in a model they go, and what comes of them.
#pragma once
#include <functional>
#include <memory>

#include "quantization_config.h"

namespace cornu {

class Layer;

/// The calibration data of GPTQConfig and AWQConfig: texts, or sequences of tokens. Files do not
/// keep it.
class CalibrationData {
 public:
  CalibrationData() = default;  ///< none, as configs from files have it
  CalibrationData(std::vector<std::string> texts) : texts_(std::move(texts)) {}      ///< texts
  CalibrationData(std::initializer_list<std::string> texts) : texts_(texts) {}       ///< the same
  CalibrationData(std::vector<Tensor> sequences) : tokens_(std::move(sequences)) {}  ///< tokens
  /// Tokens in one tensor, all of whose numbers count, row by row.
  CalibrationData(const Tensor& tokens) : tokens_({tokens}) {}

  bool empty() const { return texts_.empty() && tokens_.empty(); }  ///< whether there is nothing
  const std::vector<std::string>& texts() const { return texts_; }  ///< empty for tokens
  const std::vector<Tensor>& tokens() const { return tokens_; }     ///< empty for texts

 private:
  std::vector<std::string> texts_;
  std::vector<Tensor> tokens_;
};

/// The tokens of a text, for calibration data that are texts: a function, or a tokenizer of
/// cornu::tokenizers, which must live until then. Files do not keep it.
class CalibrationTokenizer {
 public:
  CalibrationTokenizer() = default;  ///< none, for data that are tokens
  /// A function from a text to numbers.
  template <class F>
  requires std::is_invocable_r_v < std::vector<int64_t>, F,
  const std::string& > CalibrationTokenizer(F function) : encode_(std::move(function)) {}
  /// Anything with `encode`.
  template <class T>
  requires requires(const T& t, const std::string& text) {
    { t.encode(text) } -> std::convertible_to<std::vector<int64_t>>;
  }
  CalibrationTokenizer(const T& tokenizer)
      : encode_([&tokenizer](const std::string& text) { return tokenizer.encode(text); }) {}

  explicit operator bool() const { return static_cast<bool>(encode_); }  ///< whether there is one
  /// The tokens of a text; there must be a tokenizer.
  std::vector<int64_t> operator()(const std::string& text) const { return encode_(text); }

 private:
  std::function<std::vector<int64_t>(const std::string&)> encode_;
};

/// The way of calibration data through a model. Files do not keep it.
struct QuantizationLayerStructure {
  std::vector<std::shared_ptr<Layer>> pre_block_layers = {};  ///< before the blocks, as embeddings
  /// Called one after the other; the layers inside of them are quantized.
  std::vector<std::shared_ptr<Layer>> sequential_blocks = {};
};

/// A kernel (features, channels) in few bits: value - zero, times scale, is about a weight, with
/// the scale and the zero point of its channel and of its feature's group.
struct CalibratedKernel {
  Tensor values;           ///< (channels, features), uint8
  Tensor scale;            ///< (channels, groups), float32
  Tensor zero;             ///< (channels, groups), uint8
  Tensor groups;           ///< (features), float32: the group is its whole part
  Tensor awq_scales = {};  ///< (features), by which weights were multiplied before; none for GPTQ
};

/// What calibration keeps of the inputs of a layer.
class CalibrationStatistics {
 public:
  virtual ~CalibrationStatistics() = default;
  /// Takes in inputs (samples, features).
  virtual void add(const Tensor& inputs) = 0;
};

/// Base of GPTQConfig and AWQConfig.
class CalibratedConfig : public QuantizationConfig {
 public:
  bool needs_calibration() const override { return true; }
  virtual const CalibrationData& dataset() const = 0;         ///< as given
  virtual const CalibrationTokenizer& tokenizer() const = 0;  ///< as given
  virtual int64_t num_samples() const = 0;                    ///< as given
  virtual int64_t sequence_length() const = 0;                ///< as given
  /// As given; none: the model's own.
  virtual const std::optional<QuantizationLayerStructure>& structure() const = 0;
  /// For a layer of so many features, before its first inputs.
  virtual std::unique_ptr<CalibrationStatistics> statistics(int64_t features) const = 0;
  /// A kernel (features, channels) in few bits, by the statistics of its layer's inputs.
  virtual CalibratedKernel quantize(const Tensor& kernel,
                                    const CalibrationStatistics& statistics) const = 0;
};

/// num_samples tensors (1, sequence_length) of int32: all tokens of the data one after the other,
/// repeated while they are too few, cut at even distances. Throws ValueError for data without
/// tokens, and for texts without a tokenizer. (Keras begins at a place that each of its processes
/// draws anew; here it is the first token.)
std::vector<Tensor> calibration_samples(const CalibratedConfig& config);

namespace detail {
/// What files do not keep is null there.
template <class T>
struct UnsavedOption {
  static Value encode(const T&) { return {}; }
  static T decode(const Value& v) {
    if (!v.is_null()) throw ValueError("expected nothing in a file, found " + v.kind());
    return {};
  }
};
template <>
struct OptionCodec<CalibrationData> : UnsavedOption<CalibrationData> {};
template <>
struct OptionCodec<CalibrationTokenizer> : UnsavedOption<CalibrationTokenizer> {};
template <>
struct OptionCodec<std::optional<QuantizationLayerStructure>>
    : UnsavedOption<std::optional<QuantizationLayerStructure>> {};
}  // namespace detail

/// A CalibratedConfig that answers from options of these names.
template <class Self, class Options>
class ConfiguredCalibration : public Configured<Self, Options, CalibratedConfig> {
 public:
  using Configured<Self, Options, CalibratedConfig>::Configured;
  const CalibrationData& dataset() const override { return this->config.dataset; }  ///< as given
  const CalibrationTokenizer& tokenizer() const override {
    return this->config.tokenizer;
  }                                                                                  ///< as given
  int64_t num_samples() const override { return this->config.num_samples; }          ///< as given
  int64_t sequence_length() const override { return this->config.sequence_length; }  ///< as given
  /// As given; none: the model's own.
  const std::optional<QuantizationLayerStructure>& structure() const override {
    return this->config.quantization_layer_structure;
  }
};

}  // namespace cornu
