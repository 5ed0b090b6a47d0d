// Llama's layers, and its blocks with a cache.
#include "llama.h"

#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/operators.h"
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
    return rotary_graph<layers::LlamaTransformerDecoderLayer, LlamaLayerNorm>(
        "LlamaBackbone", c,
        {.intermediate_dim = *c.intermediate_dim,
         .num_query_heads = *c.num_query_heads,
         .num_key_value_heads = *c.num_key_value_heads,
         .rope_max_wavelength = c.rope_max_wavelength,
         .rope_frequency_adjustment_factor = c.rope_frequency_adjustment_factor,
         .rope_low_freq_factor = c.rope_low_freq_factor,
         .rope_high_freq_factor = c.rope_high_freq_factor,
         .rope_pretraining_sequence_length = c.rope_pretraining_sequence_length},
        c.tie_word_embeddings);
  }
};

}  // namespace

std::shared_ptr<Functional> LlamaBackbone(const LlamaConfig& config) {
  return std::make_shared<LlamaBackboneLayer>(config);
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

Tensor RotaryCausalLM::call_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                       const Tensor& start) {
  Tensor x = (*backbone->get_layer("token_embedding"))(ids);
  auto part = cache.begin();
  for (const auto& block : blocks()) {
    layers::LlamaTransformerDecoderLayer::Cache own{part[0], part[1]};
    x = block->call_with_cache(x, own, start);
    *part++ = own.key;
    *part++ = own.value;
  }
  return project((*backbone->get_layer("sequence_output_layernorm"))(x));
}

LlamaCausalLM::LlamaCausalLM(LlamaConfig c) : ModelOf(std::move(c)) {
  LlamaConfig inner = config;
  inner.name = "llama_backbone";
  backbone = LlamaBackbone(inner);
  track("layers", Members{backbone});  // where KerasHub's files have it
  ensure_built(Tensor::abstract({Shape::unknown, Shape::unknown}, DType::int32));
}

std::shared_ptr<LlamaCausalLM> LlamaCausalLM::from_config(const Value::Dict& dict) {
  return ModelOf::from_config(LlamaBackboneLayer::known_options(head_options(dict)));
}

void register_llama(Catalog& c) {
  c.add<LlamaLayerNorm>("keras_hub>LlamaLayerNorm");
  c.add_custom<LlamaBackboneLayer>("keras_hub>LlamaBackbone");
  c.add_custom<LlamaCausalLM>("keras_hub>LlamaCausalLM");
}

}  // namespace cornu::applications
