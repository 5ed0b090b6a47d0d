// Llama's layers.
#include "llama.h"

#include "rotary_graph.h"

namespace cornu::applications {
namespace {

class LlamaLayerNorm : public NormOf<LlamaLayerNorm> {
 public:
  using NormOf::NormOf;
};

class LlamaBackboneLayer : public BackboneOf<LlamaBackboneLayer, LlamaConfig> {
 public:
  explicit LlamaBackboneLayer(const LlamaConfig& c) : BackboneOf(c, graph_of(c)) {}

  static std::shared_ptr<LlamaBackboneLayer> from_config(const Value::Dict& dict) {
    return BackboneOf::from_config(known_options(dict));
  }

  // KerasHub's Llama has an option that changes nothing: its positions are not scaled.
  static Value::Dict known_options(const Value::Dict& dict) {
    Value::Dict known;
    for (const auto& [key, value] : dict)
      if (key != "rope_position_scaling_factor") known.emplace_back(key, value);
    return known;
  }

 private:
  static Graph graph_of(const LlamaConfig& c) {
    const MakeBlock make_block = [](const layers::LlamaTransformerDecoderConfig& block) {
      return std::make_shared<layers::LlamaTransformerDecoderLayer>(block);
    };
    const layers::RMSNormalizationConfig norm{.epsilon = c.layer_norm_epsilon,
                                              .name = "sequence_output_layernorm"};
    return rotary_graph({.model = "LlamaBackbone",
                         .vocabulary_size = c.vocabulary_size,
                         .num_layers = c.num_layers,
                         .hidden_dim = c.hidden_dim,
                         .tie_weights = c.tie_word_embeddings},
                        {.intermediate_dim = *c.intermediate_dim,
                         .num_query_heads = *c.num_query_heads,
                         .num_key_value_heads = *c.num_key_value_heads,
                         .rope_max_wavelength = c.rope_max_wavelength,
                         .rope_frequency_adjustment_factor = c.rope_frequency_adjustment_factor,
                         .rope_low_freq_factor = c.rope_low_freq_factor,
                         .rope_high_freq_factor = c.rope_high_freq_factor,
                         .rope_pretraining_sequence_length = c.rope_pretraining_sequence_length,
                         .layer_norm_epsilon = c.layer_norm_epsilon,
                         .dropout = c.dropout},
                        make_block, std::make_shared<LlamaLayerNorm>(norm));
  }
};

}  // namespace

Handle<Functional> LlamaBackbone(const LlamaConfig& config) {
  return std::make_shared<LlamaBackboneLayer>(config);
}

LlamaCausalLM::LlamaCausalLM(LlamaConfig c) : HeadOf(std::move(c)) {
  LlamaConfig inner = config;
  inner.name = "llama_backbone";
  backbone = LlamaBackbone(inner);
  track("layers", Members{backbone});  // where KerasHub's files have it
  ensure_built(Tensor::abstract({Shape::unknown, Shape::unknown}, DType::int32));
}

std::shared_ptr<LlamaCausalLM> LlamaCausalLM::from_config(const Value::Dict& dict) {
  return HeadOf::from_config(LlamaBackboneLayer::known_options(head_options(dict)));
}

void register_llama(Catalog& c) {
  c.add<LlamaLayerNorm>("keras_hub>LlamaLayerNorm");
  c.add_custom<LlamaBackboneLayer>("keras_hub>LlamaBackbone");
  c.add_custom<LlamaCausalLM>("keras_hub>LlamaCausalLM");
}

}  // namespace cornu::applications
