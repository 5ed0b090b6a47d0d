// The graph that Llama and Mistral have in common.
#pragma once
#include <fmt/core.h>

#include "../../layers/attention/llama_transformer_decoder.h"
#include "../../layers/core/reversible_embedding.h"
#include "backbone.h"

namespace cornu::applications {

/// Token vectors, blocks of the class `Block` and a norm of the class `Norm`. `config` has the
/// sizes, `block` the options of all blocks but for the name.
template <class Block, class Norm, class C>
Graph rotary_graph(const char* model, const C& config, layers::LlamaTransformerDecoderConfig block,
                   bool tie_weights) {
  const int64_t heads = config.num_query_heads, shared = config.num_key_value_heads;
  if (shared <= 0 || heads % shared != 0)
    throw ValueError(fmt::format(
        "{}: num_query_heads must be a multiple of num_key_value_heads, found {} and {}.", model,
        heads, shared));
  if (!block.head_dim && *config.hidden_dim % heads != 0)
    throw ValueError(
        fmt::format("{}: hidden_dim must be a multiple of num_query_heads, found {} and {}.", model,
                    *config.hidden_dim, heads));
  const Input ids({Shape::unknown}, {.dtype = DType::int32, .name = "token_ids"});
  const Input padding({Shape::unknown}, {.dtype = DType::int32, .name = "padding_mask"});
  Tensor x = layers::ReversibleEmbedding({.input_dim = *config.vocabulary_size,
                                          .output_dim = *config.hidden_dim,
                                          .tie_weights = tie_weights,
                                          .embeddings_initializer = normal(0.01),
                                          .name = "token_embedding"})(ids);
  block.kernel_initializer = normal(0.02);
  block.layer_norm_epsilon = config.layer_norm_epsilon;
  block.dropout = config.dropout;
  for (int64_t i = 0; i < config.num_layers; ++i) {
    block.name = fmt::format("transformer_layer_{}", i);
    x = (*std::make_shared<Block>(block))(x,
                                          {.extra = {{"decoder_padding_mask", Tensor(padding)}}});
  }
  const auto norm = std::make_shared<Norm>(layers::RMSNormalizationConfig{
      .epsilon = config.layer_norm_epsilon, .name = "sequence_output_layernorm"});
  return {Nest{{"token_ids", ids}, {"padding_mask", padding}}, (*norm)(x)};
}

}  // namespace cornu::applications
