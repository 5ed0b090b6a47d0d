// Llama: a language model of blocks with turned queries and keys, as KerasHub names and builds it.
#pragma once
#include "../../framework/model/functional.h"
#include "../../layers/attention/llama_transformer_decoder.h"
#include "backbone.h"
#include "causal_lm.h"

namespace cornu::applications {

/// Options of Llama, as in KerasHub.
struct LlamaConfig {
  Required<int64_t> vocabulary_size;      ///< number of tokens
  Required<int64_t> num_layers;           ///< number of blocks
  Required<int64_t> num_query_heads;      ///< heads of each block's queries
  Required<int64_t> hidden_dim;           ///< features of a token, an even number for each head
  Required<int64_t> intermediate_dim;     ///< units in each block's small network
  Required<int64_t> num_key_value_heads;  ///< a divisor of num_query_heads
  double rope_max_wavelength = 10000;     ///< see RotaryEmbeddingConfig, as for the next four
  /// Llama 3.1's, with the next three.
  std::optional<double> rope_frequency_adjustment_factor = {};
  std::optional<double> rope_low_freq_factor = {};              ///< likewise
  std::optional<double> rope_high_freq_factor = {};             ///< likewise
  std::optional<double> rope_pretraining_sequence_length = {};  ///< likewise
  double layer_norm_epsilon = 1e-6;                             ///< added to the mean squares
  double dropout = 0.0;  ///< fraction to drop while training, in [0, 1]
  /// Logits use the vectors of tokens, else a matrix of their own.
  bool tie_word_embeddings = false;
  std::string name = "";  ///< of the model; empty: made from the class's name
};

/// The model without its head (Touvron et al., https://arxiv.org/abs/2302.13971): {"token_ids":
/// int32 (batch, t), "padding_mask": int32 (batch, t), 0 where a token is padding} -> (batch, t,
/// hidden_dim). Layers and weights are named as in KerasHub's LlamaBackbone, so that ".weights.h5"
/// and ".keras" files go both ways. Throws ValueError for sizes that do not fit.
Handle<Functional> LlamaBackbone(const LlamaConfig& config);

/// Generation by a backbone of LlamaTransformerDecoder blocks between "token_embedding" and
/// "sequence_output_layernorm". It takes texts of any length, so generate wants a max_length.
class RotaryCausalLM : public CausalLM {
 public:
  int64_t max_sequence_length() const override { return unlimited; }
  int64_t vocabulary_size() const override;
  std::vector<Tensor> make_cache(int64_t texts, int64_t length) const override;
  Tensor call_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                         const Tensor& start) override;

  Handle<Functional> backbone;  ///< the model without its head

 protected:
  Tensor logits_of(const Tensor& ids) override;
  Tensor last_logits_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                const Tensor& start) override;

 private:
  std::vector<std::shared_ptr<layers::LlamaTransformerDecoderLayer>> blocks() const;
  Tensor project(const Tensor& hidden) const;
  // What project takes.
  Tensor hidden_with_cache(const Tensor& ids, std::vector<Tensor>& cache, const Tensor& start);
};

/// Llama with its head: token numbers (batch, t) -> logits (batch, t, vocabulary_size). Reads
/// ".keras" files of KerasHub's LlamaCausalLM, without their tokenizer.
///
///   applications::LlamaCausalLM model({.vocabulary_size = 32000, .num_layers = 2,
///                                      .num_query_heads = 4, .hidden_dim = 64,
///                                      .intermediate_dim = 172, .num_key_value_heads = 2});
///   auto ids = model.generate(prompt, {.max_length = 50});
class LlamaCausalLM : public HeadOf<LlamaCausalLM, LlamaConfig>, public RotaryCausalLM {
 public:
  explicit LlamaCausalLM(LlamaConfig config);  ///< throws as LlamaBackbone
  Tensor call(const Tensor& ids, const Call&) override { return logits_of(ids); }
  /// As HeadOf's, but passes over an option of KerasHub's that changes nothing.
  static std::shared_ptr<LlamaCausalLM> from_config(const Value::Dict& dict);
};

}  // namespace cornu::applications
