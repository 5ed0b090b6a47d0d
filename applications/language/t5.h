// T5: a model that reads one text and writes another, as KerasHub names and builds it.
#pragma once
#include "../../framework/base/activation.h"
#include "../../framework/model/functional.h"

namespace cornu::applications {

/// Options of T5, as in KerasHub.
struct T5Config {
  Required<int64_t> vocabulary_size;          ///< number of tokens
  Required<int64_t> num_layers;               ///< blocks of the encoder, and of the decoder
  Required<int64_t> num_heads;                ///< heads of each attention
  Required<int64_t> hidden_dim;               ///< features of a token
  Required<int64_t> intermediate_dim;         ///< units in each block's small network
  std::optional<int64_t> key_value_dim = {};  ///< of each head; none: hidden_dim / num_heads
  double dropout = 0.1;                       ///< fraction to drop while training, in [0, 1]
  cornu::Activation activation = "relu";      ///< in the small networks
  bool use_gated_activation = true;           ///< multiply by a second projection, as T5 1.1
  double layer_norm_epsilon = 1e-6;           ///< added to the mean squares
  bool tie_embedding_weights = true;          ///< else there is a matrix for logits too
  std::string name = "";                      ///< of the model; empty: made from the class's name
};

/// The model without its head (Raffel et al., https://arxiv.org/abs/1910.10683):
/// {"encoder_token_ids", "encoder_padding_mask": int32 (batch, s), "decoder_token_ids",
/// "decoder_padding_mask": int32 (batch, t)}, 0 in a mask where a token is padding ->
/// {"encoder_sequence_output": (batch, s, hidden_dim), "decoder_sequence_output": (batch, t,
/// hidden_dim)}. Layers and weights are named as in KerasHub's T5Backbone, so that ".weights.h5"
/// and ".keras" files go both ways. Throws ValueError for sizes that do not fit.
Handle<Functional> T5Backbone(const T5Config& config);

}  // namespace cornu::applications
