// GPT-2's layers, and its blocks with a cache.
#include "gpt2.h"

#include <fmt/core.h>

#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/operators.h"
#include "../../layers/attention/transformer_decoder.h"
#include "../../layers/core/reversible_embedding.h"
#include "../../layers/merging/add.h"
#include "../../layers/text/position_embedding.h"
#include "backbone.h"

namespace cornu::applications {
namespace {

class GPT2BackboneLayer : public BackboneOf<GPT2BackboneLayer, GPT2Config> {
 public:
  explicit GPT2BackboneLayer(const GPT2Config& c) : BackboneOf(c, graph_of(c)) {}

 private:
  static Graph graph_of(const GPT2Config& config);
};

Graph GPT2BackboneLayer::graph_of(const GPT2Config& config) {
  if (config.hidden_dim % std::max<int64_t>(config.num_heads, 1) != 0)
    throw ValueError(
        fmt::format("GPT2Backbone: hidden_dim must be a multiple of num_heads, found {} and {}.",
                    config.hidden_dim, config.num_heads));
  const Input ids({Shape::unknown}, {.dtype = DType::int32, .name = "token_ids"});
  const Input padding({Shape::unknown}, {.dtype = DType::int32, .name = "padding_mask"});
  const Tensor tokens = layers::ReversibleEmbedding({.input_dim = config.vocabulary_size,
                                                     .output_dim = config.hidden_dim,
                                                     .embeddings_initializer = normal(0.01),
                                                     .name = "token_embedding"})(ids);
  const Tensor places = layers::PositionEmbedding({.sequence_length = config.max_sequence_length,
                                                   .initializer = normal(0.02),
                                                   .name = "position_embedding"})(tokens);
  Tensor x = layers::Add({.name = "embeddings_add"})({tokens, places}).tensor();
  x = layers::Dropout({.rate = config.dropout, .name = "embeddings_dropout"})(x);
  for (int64_t i = 0; i < config.num_layers; ++i)
    x = layers::TransformerDecoder({.intermediate_dim = config.intermediate_dim,
                                    .num_heads = config.num_heads,
                                    .dropout = config.dropout,
                                    .activation = gelu_approximate(),
                                    .layer_norm_epsilon = 1e-5,
                                    .kernel_initializer = normal(0.02),
                                    .normalize_first = true,
                                    .name = fmt::format("transformer_layer_{}", i)})(
        x, {.extra = {{"decoder_padding_mask", Tensor(padding)}}});
  x = layers::LayerNormalization({.epsilon = 1e-5, .name = "layer_norm"})(x);
  return {Nest{{"token_ids", ids}, {"padding_mask", padding}}, x};
}

}  // namespace

Handle<Functional> GPT2Backbone(const GPT2Config& config) {
  return std::make_shared<GPT2BackboneLayer>(config);
}

GPT2CausalLM::GPT2CausalLM(GPT2Config c) : HeadOf(std::move(c)) {
  GPT2Config inner = config;
  inner.name = "gpt2_backbone";
  backbone = GPT2Backbone(inner);
  track("layers", Members{backbone});  // where KerasHub's files have it
  ensure_built(Tensor::abstract({Shape::unknown, Shape::unknown}, DType::int32));
}

Tensor GPT2CausalLM::project(const Tensor& hidden) const {
  return layer_of<layers::ReversibleEmbeddingLayer>(*backbone, "token_embedding")
      ->
      operator()(hidden, Call{.extra = {{"reverse", true}}});
}

Tensor GPT2CausalLM::call(const Tensor& ids, const Call&) {
  const Nest inputs{{"token_ids", ids}, {"padding_mask", ops::ones_like(ids)}};
  return project(backbone(inputs).tensor());
}

std::vector<Tensor> GPT2CausalLM::make_cache(int64_t texts, int64_t length) const {
  const Shape shape{texts, length, config.num_heads, config.hidden_dim / config.num_heads};
  const Tensor zeros = ops::zeros(shape, compute_dtype());
  return std::vector<Tensor>(static_cast<size_t>(2 * config.num_layers), zeros);
}

Tensor GPT2CausalLM::hidden_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                       const Tensor& start) {
  Tensor x = (*backbone->get_layer("token_embedding"))(ids);
  x = x + layer_of<layers::PositionEmbeddingLayer>(*backbone, "position_embedding")->at(x, start);
  for (int64_t i = 0; i < config.num_layers; ++i) {
    const auto block = layer_of<layers::TransformerDecoderLayer>(
        *backbone, fmt::format("transformer_layer_{}", i));
    Tensor& key = cache[static_cast<size_t>(2 * i)];
    Tensor& value = cache[static_cast<size_t>(2 * i + 1)];
    layers::TransformerDecoderLayer::Cache own{key, value};
    x = block->call_with_cache(x, own, start);
    key = own.key;
    value = own.value;
  }
  return (*backbone->get_layer("layer_norm"))(x);
}

Tensor GPT2CausalLM::call_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                     const Tensor& start) {
  return project(hidden_with_cache(ids, cache, start));
}

Tensor GPT2CausalLM::last_logits_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                            const Tensor& start) {
  return project(last_step(hidden_with_cache(ids, cache, start)));
}

void register_gpt2(Catalog& c) {
  gelu_approximate();
  c.add_custom<GPT2BackboneLayer>("keras_hub>GPT2Backbone");
  c.add_custom<GPT2CausalLM>("keras_hub>GPT2CausalLM");
}

}  // namespace cornu::applications
