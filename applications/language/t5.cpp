// T5's layers.
#include "t5.h"

#include <fmt/core.h>

#include "../../framework/initializers/truncated_normal.h"
#include "../../layers/attention/t5_transformer_layer.h"
#include "../../layers/core/reversible_embedding.h"
#include "backbone.h"

namespace cornu::applications {
namespace {

class T5LayerNorm : public NormOf<T5LayerNorm> {
 public:
  using NormOf::NormOf;
};

class T5BackboneLayer : public BackboneOf<T5BackboneLayer, T5Config> {
 public:
  explicit T5BackboneLayer(const T5Config& c) : BackboneOf(c, graph_of(c)) {}

 private:
  static Graph graph_of(const T5Config& c);
};

// The blocks of one side. `arguments` are those of all of them.
Tensor blocks(const T5Config& c, const char* side, bool is_decoder, int64_t key_value_dim, Tensor x,
              const Value::Dict& arguments) {
  const auto dropout = [&](const char* place, const Tensor& x) {
    return layers::Dropout({.rate = c.dropout, .name = fmt::format("{}_{}_dropout", side, place)})(
        x);
  };
  x = dropout("embedding", x);
  Call call{.extra = arguments};
  for (int64_t i = 0; i < c.num_layers; ++i) {
    const layers::T5TransformerLayer block(
        {.is_decoder = is_decoder,
         .intermediate_dim = *c.intermediate_dim,
         .key_value_dim = key_value_dim,
         .num_heads = *c.num_heads,
         .dropout = c.dropout,
         .activation = c.activation,
         .layer_norm_epsilon = c.layer_norm_epsilon,
         .use_gated_activation = c.use_gated_activation,
         .use_relative_attention_bias = i == 0,
         .name = fmt::format("transformer_{}_layer_{}", side, i)});
    const Nest found = block(Nest(x), call);
    x = found[0].tensor();
    // What the first block gives serves all.
    if (i == 0) call.extra.emplace_back("position_bias", found[1].tensor());
  }
  const auto norm = std::make_shared<T5LayerNorm>(layers::RMSNormalizationConfig{
      .epsilon = c.layer_norm_epsilon, .name = fmt::format("{}_output_layer_norm", side)});
  return dropout("output", (*norm)(x));
}

Graph T5BackboneLayer::graph_of(const T5Config& c) {
  if (!c.key_value_dim && *c.hidden_dim % std::max<int64_t>(c.num_heads, 1) != 0)
    throw ValueError(
        fmt::format("T5Backbone: hidden_dim must be a multiple of num_heads, found {} and {}; or "
                    "give key_value_dim.",
                    *c.hidden_dim, *c.num_heads));
  const int64_t size = c.key_value_dim.value_or(*c.hidden_dim / std::max<int64_t>(c.num_heads, 1));
  const auto input = [](const char* name) {
    return Input({Shape::unknown}, {.dtype = DType::int32, .name = name});
  };
  const Input encoder_ids = input("encoder_token_ids"),
              encoder_mask = input("encoder_padding_mask");
  const Input decoder_ids = input("decoder_token_ids"),
              decoder_mask = input("decoder_padding_mask");
  const layers::ReversibleEmbedding embedding(
      {.input_dim = *c.vocabulary_size,
       .output_dim = *c.hidden_dim,
       .tie_weights = c.tie_embedding_weights,
       .embeddings_initializer = initializers::TruncatedNormal({.stddev = 1.0}),
       .name = "token_embedding"});
  const Tensor encoded = blocks(c, "encoder", false, size, embedding(encoder_ids),
                                {{"padding_mask", Tensor(encoder_mask)}});
  const Tensor decoded = blocks(c, "decoder", true, size, embedding(decoder_ids),
                                {{"padding_mask", Tensor(decoder_mask)},
                                 {"encoder_hidden_states", encoded},
                                 {"encoder_padding_mask", Tensor(encoder_mask)}});
  return {Nest{{"encoder_token_ids", encoder_ids},
               {"encoder_padding_mask", encoder_mask},
               {"decoder_token_ids", decoder_ids},
               {"decoder_padding_mask", decoder_mask}},
          Nest{{"encoder_sequence_output", encoded}, {"decoder_sequence_output", decoded}}};
}

}  // namespace

Handle<Functional> T5Backbone(const T5Config& config) {
  return std::make_shared<T5BackboneLayer>(config);
}

void register_t5(Catalog& c) {
  gelu_approximate();
  c.add<T5LayerNorm>("keras_hub>T5LayerNorm");
  c.add_custom<T5BackboneLayer>("keras_hub>T5Backbone");
}

}  // namespace cornu::applications
