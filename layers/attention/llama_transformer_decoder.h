// LlamaTransformerDecoder: Llama's block, and Mistral's.
#pragma once
#include "../core/dense.h"
#include "../normalization/rms_normalization.h"
#include "../text/rotary_embedding.h"
#include "group_query_attention.h"
#include "transformer_decoder.h"

namespace cornu::layers {

/// Options of LlamaTransformerDecoder, as in KerasHub; head_dim and sliding_window are those of its
/// Mistral. For the meaning of the `rope` ones see RotaryEmbeddingConfig.
struct LlamaTransformerDecoderConfig {
  Required<int64_t> intermediate_dim;     ///< units between the Dense layers
  Required<int64_t> num_query_heads;      ///< a multiple of num_key_value_heads
  Required<int64_t> num_key_value_heads;  ///< heads of keys and values
  double rope_max_wavelength = 10000;     ///< of the turning of queries and keys
  double rope_scaling_factor = 1.0;       ///< divides its angles
  std::optional<double> rope_frequency_adjustment_factor = {};  ///< Llama 3.1's
  std::optional<double> rope_low_freq_factor = {};              ///< likewise
  std::optional<double> rope_high_freq_factor = {};             ///< likewise
  std::optional<double> rope_pretraining_sequence_length = {};  ///< likewise
  cornu::Activation activation = "silu";                        ///< of the gate
  double layer_norm_epsilon = 1e-5;                             ///< added to the mean squares
  /// Initial values of the kernels.
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  double dropout = 0.0;                        ///< fraction to drop while training, in [0, 1]
  std::optional<int64_t> head_dim = {};        ///< even; none: features / num_query_heads
  std::optional<int64_t> sliding_window = {};  ///< a step sees those less than this far away
  CORNU_LAYER_OPTIONS;
};

/// x (batch, t, features) -> the same shape: causal attention with turned queries and keys, then
/// output(intermediate(x) * activation(gate(x))); each is given what RMSNormalization makes of x,
/// and added to x. There are no biases. Argument by name: "decoder_padding_mask" (batch, t), false
/// where a step is padding that none may see. Touvron et al., https://arxiv.org/abs/2302.13971.
/// Throws ValueError for heads that do not divide.
class LlamaTransformerDecoderLayer
    : public LayerOf<LlamaTransformerDecoderLayer, LlamaTransformerDecoderConfig> {
 public:
  /// Throws ValueError for sizes that are not positive, and as RotaryEmbedding.
  explicit LlamaTransformerDecoderLayer(LlamaTransformerDecoderConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"decoder_padding_mask"};
  }

  /// Keys and values of all steps so far, (batch, length, num_key_value_heads, head_dim).
  using Cache = TransformerDecoderLayer::Cache;
  /// Zeros for `length` steps of `batch` texts. Throws StateError for a layer that is not built.
  Cache make_cache(int64_t batch, int64_t length) const;
  /// The call, without training, for the steps from `start`, an int32 scalar, on: x (batch, t,
  /// features). Those before are in the cache, to which these are added.
  Tensor call_with_cache(const Tensor& x, Cache& cache, const Tensor& start);

  GroupQueryAttention self_attention = nullptr;    ///< its projections; made by build
  RMSNormalization self_attention_norm = nullptr;  ///< likewise
  Dense feedforward_intermediate_dense = nullptr;  ///< likewise
  Dense feedforward_gate_dense = nullptr;          ///< likewise
  Dense feedforward_output_dense = nullptr;        ///< likewise
  RMSNormalization feedforward_norm = nullptr;     ///< likewise

 private:
  Tensor attend(const Tensor& x, const Tensor& padding, Cache* cache, const Tensor& start) const;
  Tensor feed_forward(const Tensor& x) const;

  RotaryEmbedding rotary_embedding_;
  Dropout attention_dropout_ = nullptr, self_attention_dropout_ = nullptr;
};

/// A shared LlamaTransformerDecoderLayer, made from its options.
using LlamaTransformerDecoder = Ref<LlamaTransformerDecoderLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LlamaTransformerDecoderLayer,
                              layers::LlamaTransformerDecoderConfig>;
}
