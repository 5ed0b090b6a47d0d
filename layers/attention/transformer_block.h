// What TransformerDecoder and TransformerEncoder share: attention and a small network, each added
// to what it was given.
#pragma once
#include "../core/dense.h"
#include "../normalization/layer_normalization.h"
#include "multi_head_attention.h"

namespace cornu::layers {

/// Options of TransformerDecoder and TransformerEncoder, as in KerasHub.
struct TransformerBlockConfig {
  Required<int64_t> intermediate_dim;     ///< units between the two Dense layers
  Required<int64_t> num_heads;            ///< a divisor of the number of features
  double dropout = 0.0;                   ///< fraction to drop while training, in [0, 1]
  cornu::Activation activation = "relu";  ///< between the two Dense layers
  double layer_norm_epsilon = 1e-5;       ///< added to the variances
  /// Initial values of the kernels.
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  Choice<Initializer> bias_initializer = "zeros";  ///< initial values of the biases
  bool normalize_first = false;  ///< normalize before each part, not after the sums
  CORNU_LAYER_OPTIONS;
};

/// Base of the two.
template <class Self>
class TransformerBlock : public LayerOf<Self, TransformerBlockConfig> {
 public:
  /// Throws ValueError for sizes that are not positive.
  explicit TransformerBlock(TransformerBlockConfig config);
  /// Throws ValueError where num_heads does not divide the features.
  void build(const Shape& input) override;

  MultiHeadAttention self_attention = nullptr;       ///< made by build
  LayerNormalization self_attention_norm = nullptr;  ///< likewise
  Dense feedforward_intermediate_dense = nullptr;    ///< likewise
  Dense feedforward_output_dense = nullptr;          ///< likewise
  LayerNormalization feedforward_norm = nullptr;     ///< likewise

 protected:
  /// The whole block around an attention.
  Tensor run(const Tensor& x, const std::function<Tensor(const Tensor&)>& attend) const;

 private:
  // A part with what stands around it: `norm` before it or behind the sum.
  Tensor add_part(const Tensor& x, const LayerNormalization& norm, const Dropout& dropout,
                  const std::function<Tensor(const Tensor&)>& part) const;

  Dropout self_attention_dropout_ = nullptr, feedforward_dropout_ = nullptr;
};

}  // namespace cornu::layers
