// Mistral's layers: Llama's under other names.
#include "mistral.h"

#include "rotary_graph.h"

namespace cornu::applications {
namespace {

class MistralLayerNormalization : public NormOf<MistralLayerNormalization> {
 public:
  using NormOf::NormOf;
};

class MistralTransformerDecoder : public layers::LlamaTransformerDecoderLayer {
 public:
  using LlamaTransformerDecoderLayer::LlamaTransformerDecoderLayer;
  static std::shared_ptr<MistralTransformerDecoder> from_config(const Value::Dict& dict) {
    return std::make_shared<MistralTransformerDecoder>(from_dict<Config>(dict));
  }
};

class MistralBackboneLayer : public BackboneOf<MistralBackboneLayer, MistralConfig> {
 public:
  explicit MistralBackboneLayer(const MistralConfig& c) : BackboneOf(c, graph_of(c)) {}

 private:
  static Graph graph_of(const MistralConfig& c) {
    const MakeBlock make_block = [](const layers::LlamaTransformerDecoderConfig& block) {
      return std::make_shared<MistralTransformerDecoder>(block);
    };
    const layers::RMSNormalizationConfig norm{.epsilon = c.layer_norm_epsilon,
                                              .name = "sequence_output_layernorm"};
    return rotary_graph({.model = "MistralBackbone",
                         .vocabulary_size = c.vocabulary_size,
                         .num_layers = c.num_layers,
                         .hidden_dim = c.hidden_dim,
                         .tie_weights = false},
                        {.intermediate_dim = *c.intermediate_dim,
                         .num_query_heads = *c.num_query_heads,
                         .num_key_value_heads = *c.num_key_value_heads,
                         .rope_max_wavelength = c.rope_max_wavelength,
                         .rope_scaling_factor = c.rope_scaling_factor,
                         .layer_norm_epsilon = c.layer_norm_epsilon,
                         .dropout = c.dropout,
                         .head_dim = c.head_dim,
                         .sliding_window = c.sliding_window},
                        make_block, std::make_shared<MistralLayerNormalization>(norm));
  }
};

}  // namespace

Handle<Functional> MistralBackbone(const MistralConfig& config) {
  return std::make_shared<MistralBackboneLayer>(config);
}

MistralCausalLM::MistralCausalLM(MistralConfig c) : HeadOf(std::move(c)) {
  MistralConfig inner = config;
  inner.name = "mistral_backbone";
  backbone = MistralBackbone(inner);
  track("layers", Members{backbone});  // where KerasHub's files have it
  ensure_built(Tensor::abstract({Shape::unknown, Shape::unknown}, DType::int32));
}

void register_mistral(Catalog& c) {
  c.add<MistralLayerNormalization>("keras_hub>MistralLayerNormalization");
  c.add<MistralTransformerDecoder>("keras_hub>MistralTransformerDecoder");
  c.add_custom<MistralBackboneLayer>("keras_hub>MistralBackbone");
  c.add_custom<MistralCausalLM>("keras_hub>MistralCausalLM");
}

}  // namespace cornu::applications
