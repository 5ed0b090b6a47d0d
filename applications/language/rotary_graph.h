// The graph that Llama and Mistral have in common.
#pragma once
#include "../../layers/attention/llama_transformer_decoder.h"
#include "backbone.h"

namespace cornu::applications {

/// What rotary_graph needs besides the options of its blocks.
struct RotaryGraphOptions {
  const char* model;        ///< for errors
  int64_t vocabulary_size;  ///< number of tokens
  int64_t num_layers;       ///< number of blocks
  int64_t hidden_dim;       ///< features of a token
  bool tie_weights;         ///< whether logits use the vectors of tokens
};
/// Makes a block of the model's own class.
using MakeBlock =
    std::function<std::shared_ptr<Layer>(const layers::LlamaTransformerDecoderConfig&)>;

/// Vectors of tokens, blocks with the options `block`, but for names and initializers, and the
/// norm. Throws ValueError for heads that do not divide.
Graph rotary_graph(const RotaryGraphOptions& options, layers::LlamaTransformerDecoderConfig block,
                   const MakeBlock& make_block, const std::shared_ptr<Layer>& norm);

}  // namespace cornu::applications
