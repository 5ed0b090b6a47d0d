// GPT2: a language model of decoder blocks, as KerasHub names and builds it.
#pragma once
#include "backbone.h"
#include "causal_lm.h"

namespace cornu::applications {

/// Options of GPT-2, as in KerasHub. The defaults are the smallest model that OpenAI published.
struct GPT2Config {
  int64_t vocabulary_size = 50257;     ///< number of tokens
  int64_t num_layers = 12;             ///< number of blocks
  int64_t num_heads = 12;              ///< heads of each block's attention
  int64_t hidden_dim = 768;            ///< features of a token, a multiple of num_heads
  int64_t intermediate_dim = 3072;     ///< units in each block's small network
  double dropout = 0.1;                ///< fraction to drop while training, in [0, 1]
  int64_t max_sequence_length = 1024;  ///< tokens that the model can take
  std::string name = "";               ///< of the model; empty: made from the class's name
};

/// The model without its head (Radford et al., Language Models are Unsupervised Multitask Learners,
/// 2019): {"token_ids": int32 (batch, t), "padding_mask": int32 (batch, t), 0 where a token is
/// padding} -> (batch, t, hidden_dim). Layers and weights are named as in KerasHub's GPT2Backbone,
/// so that ".weights.h5" and ".keras" files go both ways. Throws ValueError for sizes that do not
/// fit.
Handle<Functional> GPT2Backbone(const GPT2Config& config = {});

/// GPT-2 with its head: token numbers (batch, t) -> logits (batch, t, vocabulary_size), the
/// products with the vectors of all tokens.
///
///   applications::GPT2CausalLM model({.num_layers = 2, .num_heads = 2, .hidden_dim = 64});
///   model.backbone->load_weights("gpt2.weights.h5");
///   auto ids = model.generate(tokenizer.encode("Once upon"), {.max_length = 50});
class GPT2CausalLM : public HeadOf<GPT2CausalLM, GPT2Config>, public CausalLM {
 public:
  explicit GPT2CausalLM(GPT2Config config = {});  ///< throws as GPT2Backbone
  Tensor call(const Tensor& ids, const Call&) override;

  int64_t max_sequence_length() const override { return config.max_sequence_length; }
  int64_t vocabulary_size() const override { return config.vocabulary_size; }
  std::vector<Tensor> make_cache(int64_t texts, int64_t length) const override;
  Tensor call_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                         const Tensor& start) override;

  Handle<Functional> backbone;  ///< the model without its head

 protected:
  Tensor logits_of(const Tensor& ids) override { return (*this)(ids); }
  Tensor last_logits_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                const Tensor& start) override;

 private:
  Tensor project(const Tensor& hidden) const;
  // What project takes.
  Tensor hidden_with_cache(const Tensor& ids, std::vector<Tensor>& cache, const Tensor& start);
};

}  // namespace cornu::applications
