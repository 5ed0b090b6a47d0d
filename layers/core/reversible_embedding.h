// ReversibleEmbedding: an embedding that also projects vectors back onto the numbers.
#pragma once
#include "table_layer.h"

namespace cornu::layers {

/// Options of ReversibleEmbedding, as in Keras.
struct ReversibleEmbeddingConfig {
  Required<int64_t> input_dim;   ///< number of vectors; indices are in [0, input_dim)
  Required<int64_t> output_dim;  ///< size of the vectors
  bool tie_weights = true;       ///< the projection uses the embeddings, else a matrix of its own
  /// Initial values of the vectors.
  Choice<Initializer> embeddings_initializer = "uniform";
  Choice<Regularizer> embeddings_regularizer = {};  ///< penalty on the vectors, added to the losses
  Choice<Constraint> embeddings_constraint = {};    ///< applied to the vectors after each update
  /// Makes index 0 mean padding: the output's mask is false there.
  bool mask_zero = false;
  OptionalDType reverse_dtype = {};           ///< dtype of the projection; none: the compute dtype
  std::optional<double> logit_soft_cap = {};  ///< c: the projection z becomes c tanh(z / c)
  /// Rank of a trained low-rank update; none: no update.
  std::optional<int64_t> lora_rank = {};
  /// Of no effect when building, as in Keras: alpha is lora_rank.
  std::optional<double> lora_alpha = {};
  /// How to quantize, for a quantized dtype; see Layer::quantize.
  Choice<QuantizationConfig> quantization_config = {};
  Choice<Regularizer> activity_regularizer = {};  ///< penalty on the output, added to the losses
  CORNU_LAYER_OPTIONS;
};

/// What a ReversibleEmbedding is told besides its input.
struct ReversibleEmbeddingCall {
  bool reverse = false;               ///< from vectors to the products with all embeddings
  std::optional<bool> training = {};  ///< see Call
  Tensor mask = {};                   ///< see Call
  Value::Dict extra = {};             ///< further arguments by name

  operator Call() const;  ///< with "reverse" by name, where it is true
};

/// indices (batch, ...) -> (batch, ..., output_dim); with the argument "reverse" = true x (...,
/// output_dim) -> (..., input_dim), the products with all vectors. Press and Wolf,
/// https://arxiv.org/abs/1608.05859. Throws ShapeError when the last axis of x is not output_dim.
class ReversibleEmbeddingLayer
    : public TableLayer<ReversibleEmbeddingLayer, ReversibleEmbeddingConfig> {
 public:
  using CallOptions = ReversibleEmbeddingCall;  ///< what a call may be told
  using TableLayer::TableLayer;                 ///< from the options; see TableLayer
  void build_many(const Nest& inputs) override;
  Tensor call(const Tensor& x, const Call& call) override;
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"reverse"};
  }
  std::vector<std::string> positional_arguments() const override { return {"reverse"}; }
  Tensor compute_mask(const Nest&, const Tensor&) override { return {}; }
  /// As LayerOf's; throws UnsupportedError where `weights` has a value.
  static std::shared_ptr<ReversibleEmbeddingLayer> from_config(const Value::Dict& dict);

  Variable reverse_embeddings;  ///< (output_dim, input_dim); none with tie_weights

 protected:
  void quantize_more(const Choice<QuantizationConfig>& config) override;
  /// The projection's; none with tie_weights.
  std::vector<Variable> more_variables() const override;

 private:
  Tensor project(Tensor x) const;
  Tensor project_quantized(const Tensor& x) const;
  void build_quantized_reverse(const std::string& mode, const Choice<QuantizationConfig>& config);

  Choice<Quantizer> inputs_quantizer_;
  std::unique_ptr<QuantizedWeight> quantized_reverse_;
};

/// A shared ReversibleEmbeddingLayer, made from its options.
using ReversibleEmbedding = Ref<ReversibleEmbeddingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ReversibleEmbeddingLayer, layers::ReversibleEmbeddingConfig>;
extern template class layers::TableLayer<layers::ReversibleEmbeddingLayer,
                                         layers::ReversibleEmbeddingConfig>;
}  // namespace cornu
