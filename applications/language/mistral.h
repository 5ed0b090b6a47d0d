// Mistral: Llama whose tokens see some way back, as KerasHub names and builds it.
#pragma once
#include "llama.h"

namespace cornu::applications {

/// Options of Mistral, as in KerasHub.
struct MistralConfig {
  Required<int64_t> vocabulary_size;            ///< number of tokens
  Required<int64_t> num_layers;                 ///< number of blocks
  Required<int64_t> num_query_heads;            ///< heads of each block's queries
  Required<int64_t> hidden_dim;                 ///< features of a token
  Required<int64_t> intermediate_dim;           ///< units in each block's small network
  Required<int64_t> num_key_value_heads;        ///< a divisor of num_query_heads
  double rope_max_wavelength = 10000;           ///< see RotaryEmbeddingConfig
  double rope_scaling_factor = 1.0;             ///< divides the angles of places
  double layer_norm_epsilon = 1e-6;             ///< added to the mean squares
  std::optional<int64_t> sliding_window = 512;  ///< tokens that a token sees, with itself; {}: all
  std::optional<int64_t> head_dim = {};         ///< even; none: hidden_dim / num_query_heads
  double dropout = 0.0;                         ///< fraction to drop while training, in [0, 1]
  std::string name = "";                        ///< of the model; empty: made from the class's name
};

/// The model without its head (Jiang et al., https://arxiv.org/abs/2310.06825), from what
/// LlamaBackbone takes to what it gives. Layers and weights are named as in KerasHub's
/// MistralBackbone. Throws ValueError for sizes that do not fit.
Handle<Functional> MistralBackbone(const MistralConfig& config);

/// Mistral with its head, as LlamaCausalLM. The cache keeps all tokens, also those out of sight.
class MistralCausalLM : public HeadOf<MistralCausalLM, MistralConfig>, public RotaryCausalLM {
 public:
  explicit MistralCausalLM(MistralConfig config);  ///< throws as MistralBackbone
  Tensor call(const Tensor& ids, const Call&) override { return logits_of(ids); }
};

}  // namespace cornu::applications
