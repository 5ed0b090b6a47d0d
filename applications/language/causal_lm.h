// CausalLM: models that write texts on, one token after the other.
#pragma once
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "../../framework/compile/function.h"
#include "../../framework/tensor/nest.h"
#include "samplers.h"
#include "tokenizer.h"

namespace cornu::applications {

/// Options of generate and generate_batch.
struct GenerateOptions {
  /// Tokens of the prompt and the answer together, at most; none: as many as the model can take.
  /// Needed where that is any number.
  std::optional<int64_t> max_length = {};
  samplers::Sampler sampler = samplers::Greedy();  ///< chooses each token
  double temperature = 1.0;         ///< divides logits: below 1 likely tokens become likelier
  double repetition_penalty = 1.0;  ///< above 1: tokens that are there come less often
  std::vector<int64_t> stop = {};   ///< tokens that end the answer, of which they are part
  /// Texts that end the answer, of which the token is part that completes one; for these
  /// `tokenizer` is needed. The prompt's text does not count.
  std::vector<std::string> stop_strings = {};
  const tokenizers::Tokenizer* tokenizer = nullptr;  ///< tells the text of an answer
  std::optional<int64_t> seed = {};  ///< of the sampler's draws; none: one is chosen
  /// Called with each new token; false ends the answer. For one text, and not for beams.
  std::function<bool(int64_t)> on_token = {};
  bool use_cache = true;  ///< keep keys and values, instead of computing them again for each token
};

/// Base, beside Model, of models of tokens (batch, t) -> logits (batch, t, vocabulary), where step
/// t tells token t + 1 and sees those up to t.
class CausalLM {
 public:
  virtual ~CausalLM() = default;
  /// The prompt and the tokens that the model writes behind it. The repetition penalty is that of
  /// Keskar et al., https://arxiv.org/abs/1909.05858. Throws ValueError for an empty prompt, tokens
  /// that the vocabulary does not have, also from the sampler, options that make no sense, logits
  /// that are no finite numbers, and where the prompt or max_length is above what the model can
  /// take.
  std::vector<int64_t> generate(const std::vector<int64_t>& prompt,
                                const GenerateOptions& options = {});
  /// The same for several prompts of any lengths at a time, each answered as alone; the draws for
  /// prompt i are those of the seed `seed + i`. Throws likewise, and for on_token.
  std::vector<std::vector<int64_t>> generate_batch(const std::vector<std::vector<int64_t>>& prompts,
                                                   const GenerateOptions& options = {});

  /// What max_sequence_length gives where a text may have any number of tokens.
  static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();
  virtual int64_t max_sequence_length() const = 0;  ///< tokens that the model can take
  virtual int64_t vocabulary_size() const = 0;      ///< number of tokens that it knows
  /// Zeros for the keys and values of `length` tokens of each of `texts` texts, which are axis 0.
  virtual std::vector<Tensor> make_cache(int64_t texts, int64_t length) const = 0;
  /// The logits (texts, t, vocabulary) of tokens (texts, t) that stand behind `start`, an int32
  /// scalar, others, whose keys and values are in the cache; theirs are added.
  virtual Tensor call_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                 const Tensor& start) = 0;

 protected:
  /// The same, and only the last token's logits of each text (texts, 1, vocabulary) need be told:
  /// those of a long prompt take longer than the rest of the model.
  virtual Tensor last_logits_with_cache(const Tensor& ids, std::vector<Tensor>& cache,
                                        const Tensor& start) {
    return call_with_cache(ids, cache, start);
  }
  /// The logits (texts, t, vocabulary) of tokens (texts, t), without a cache.
  virtual Tensor logits_of(const Tensor& ids) = 0;

 private:
  class Steps;
  // The compiled call for one more token, of the weights that there are.
  std::shared_ptr<Function> step();

  std::mutex step_mutex_;
  std::shared_ptr<Function> step_;
  std::vector<uint64_t> step_weights_;
};

}  // namespace cornu::applications
