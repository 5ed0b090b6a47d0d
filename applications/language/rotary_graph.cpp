// The graph of Llama and Mistral, and generation by it.
#include "rotary_graph.h"

#include <fmt/core.h>

#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/operators.h"
#include "../../layers/core/reversible_embedding.h"
#include "llama.h"

namespace cornu::applications {

Graph rotary_graph(const RotaryGraphOptions& options, layers::LlamaTransformerDecoderConfig block,
                   const MakeBlock& make_block, const std::shared_ptr<Layer>& norm) {
  const int64_t heads = block.num_query_heads, shared = block.num_key_value_heads;
  if (shared <= 0 || heads % shared != 0)
    throw ValueError(fmt::format(
        "{}: num_query_heads must be a multiple of num_key_value_heads, found {} and {}.",
        options.model, heads, shared));
  if (!block.head_dim && options.hidden_dim % std::max<int64_t>(heads, 1) != 0)
    throw ValueError(
        fmt::format("{}: hidden_dim must be a multiple of num_query_heads, found {} and {}.",
                    options.model, options.hidden_dim, heads));
  const Input ids({Shape::unknown}, {.dtype = DType::int32, .name = "token_ids"});
  const Input padding({Shape::unknown}, {.dtype = DType::int32, .name = "padding_mask"});
  Tensor x = layers::ReversibleEmbedding({.input_dim = options.vocabulary_size,
                                          .output_dim = options.hidden_dim,
                                          .tie_weights = options.tie_weights,
                                          .embeddings_initializer = normal(0.01),
                                          .name = "token_embedding"})(ids);
  block.kernel_initializer = normal(0.02);
  for (int64_t i = 0; i < options.num_layers; ++i) {
    block.name = fmt::format("transformer_layer_{}", i);
    x = (*make_block(block))(x, {.extra = {{"decoder_padding_mask", Tensor(padding)}}});
  }
  return {Nest{{"token_ids", ids}, {"padding_mask", padding}}, (*norm)(x)};
}

std::vector<std::shared_ptr<layers::LlamaTransformerDecoderLayer>> RotaryCausalLM::blocks() const {
  std::vector<std::shared_ptr<layers::LlamaTransformerDecoderLayer>> result;
  for (const auto& layer : backbone->layers())
    if (auto block = std::dynamic_pointer_cast<layers::LlamaTransformerDecoderLayer>(layer))
      result.push_back(std::move(block));
  return result;
}

int64_t RotaryCausalLM::vocabulary_size() const {
  return layer_of<layers::ReversibleEmbeddingLayer>(*backbone, "token_embedding")->config.input_dim;
}

Tensor RotaryCausalLM::project(const Tensor& hidden) const {
  const auto embedding = layer_of<layers::ReversibleEmbeddingLayer>(*backbone, "token_embedding");
  return (*embedding)(hidden, Call{.extra = {{"reverse", true}}});
}

Tensor RotaryCausalLM::logits_of(const Tensor& ids) {
  const Nest inputs{{"token_ids", ids}, {"padding_mask", ops::ones_like(ids)}};
  return project(backbone(inputs).tensor());
}

std::vector<Tensor> RotaryCausalLM::make_cache(int64_t texts, int64_t length) const {
  std::vector<Tensor> cache;
  for (const auto& block : blocks()) {
    const auto own = block->make_cache(texts, length);
    cache.push_back(own.key);
    cache.push_back(own.value);
  }
  return cache;
}

Tensor RotaryCausalLM::hidden_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                         const Tensor& start) {
  Tensor x = (*backbone->get_layer("token_embedding"))(ids);
  auto part = cache.begin();
  for (const auto& block : blocks()) {
    layers::LlamaTransformerDecoderLayer::Cache own{part[0], part[1]};
    x = block->call_with_cache(x, own, start);
    *part++ = own.key;
    *part++ = own.value;
  }
  return (*backbone->get_layer("sequence_output_layernorm"))(x);
}

Tensor RotaryCausalLM::call_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                       const Tensor& start) {
  return project(hidden_with_cache(ids, cache, start));
}

Tensor RotaryCausalLM::last_logits_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                              const Tensor& start) {
  return project(last_step(hidden_with_cache(ids, cache, start)));
}

}  // namespace cornu::applications
