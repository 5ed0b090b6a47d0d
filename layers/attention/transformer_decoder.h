// TransformerDecoder: a block of attention to what came before and a small network for each step.
#pragma once
#include "../core/dense.h"
#include "../normalization/layer_normalization.h"
#include "multi_head_attention.h"

namespace cornu::layers {

/// Options of TransformerDecoder, as in KerasHub.
struct TransformerDecoderConfig {
  Required<int64_t> intermediate_dim;     ///< units between the two Dense layers
  Required<int64_t> num_heads;            ///< a divisor of the number of features
  double dropout = 0.0;                   ///< fraction to drop while training, in [0, 1]
  cornu::Activation activation = "relu";  ///< between the two Dense layers
  double layer_norm_epsilon = 1e-5;       ///< added to the variances
  /// Initial values of the kernels.
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  Choice<Initializer> bias_initializer = "zeros";  ///< initial values of the biases
  bool normalize_first = false;           ///< normalize before each part, not after the sums
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< whether training changes the weights
  std::optional<DTypePolicy> dtype = {};  ///< of weights and computation; none: the global policy
};

/// x (batch, t, features) -> the same shape: causal attention, then two Dense layers, each added to
/// what it was given. Argument by name: "decoder_padding_mask" (batch, t), false where a step is
/// padding that none may see. KerasHub's decoder without an encoder. Vaswani et al., Attention Is
/// All You Need (2017). Throws ValueError where num_heads does not divide the features.
class TransformerDecoderLayer : public LayerOf<TransformerDecoderLayer, TransformerDecoderConfig> {
 public:
  /// Throws ValueError for sizes that are not positive.
  explicit TransformerDecoderLayer(TransformerDecoderConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"decoder_padding_mask"};
  }

  /// Keys and values of all steps so far, each (batch, length, num_heads, features / num_heads).
  struct Cache {
    Tensor key,  ///< of each step, for each head
        value;   ///< likewise
  };
  /// The call, without training, for the steps from `start`, an int32 scalar, on: x (batch, t,
  /// features). Those before are in the cache, to which these are added.
  Tensor call_with_cache(const Tensor& x, Cache& cache, const Tensor& start);

  MultiHeadAttention self_attention = nullptr;       ///< made by build
  LayerNormalization self_attention_norm = nullptr;  ///< likewise
  Dense feedforward_intermediate_dense = nullptr;    ///< likewise
  Dense feedforward_output_dense = nullptr;          ///< likewise
  LayerNormalization feedforward_norm = nullptr;     ///< likewise

 private:
  // A part with what stands around it: `norm` before it or behind the sum.
  Tensor add_part(const Tensor& x, const LayerNormalization& norm, const Dropout& dropout,
                  const std::function<Tensor(const Tensor&)>& part) const;
  Tensor feed_forward(const Tensor& x) const;
  Tensor attend(const Tensor& x, Cache& cache, const Tensor& start) const;

  Dropout self_attention_dropout_ = nullptr, feedforward_dropout_ = nullptr;
};

using TransformerDecoder = Ref<TransformerDecoderLayer>;  ///< a shared TransformerDecoderLayer

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::TransformerDecoderLayer, layers::TransformerDecoderConfig>;
}
