// Generation: the logits of the texts' last tokens, with and without a cache.
#include "causal_lm.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "../../backend/error.h"
#include "../../framework/base/layer.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "answer.h"

namespace cornu::applications {
namespace {

void check_prompt(const CausalLM& model, const std::vector<int64_t>& prompt, int64_t length) {
  if (prompt.empty()) throw ValueError("generate: the prompt has no tokens; give one at least.");
  for (const int64_t id : prompt)
    if (id < 0 || id >= model.vocabulary_size())
      throw ValueError(fmt::format("generate: the prompt has the token {}; tokens are 0 to {}.", id,
                                   model.vocabulary_size() - 1));
  const int64_t most = model.max_sequence_length();
  if (length > most || static_cast<int64_t>(prompt.size()) > length)
    throw ValueError(
        fmt::format("generate: a prompt of {} tokens and max_length {} do not fit: the model takes "
                    "{} tokens, prompt and answer together.",
                    prompt.size(), length, most));
}

void check_options(const CausalLM& model, const GenerateOptions& options, size_t prompts) {
  if (!options.max_length && model.max_sequence_length() == CausalLM::unlimited)
    throw ValueError(
        "generate: the model takes texts of any length; give max_length, the tokens of prompt and "
        "answer together.");
  if (!options.sampler)
    throw ValueError("generate: there is no sampler; the default is samplers::Greedy().");
  if (!(options.temperature > 0))
    throw ValueError(
        fmt::format("generate: temperature must be positive, found {}. For no chance at all there "
                    "is samplers::Greedy().",
                    options.temperature));
  if (!(options.repetition_penalty > 0))
    throw ValueError(fmt::format("generate: repetition_penalty must be positive, found {}.",
                                 options.repetition_penalty));
  if (!options.stop_strings.empty() && !options.tokenizer)
    throw ValueError(
        "generate: stop_strings need the text of an answer; give a tokenizer too: .tokenizer = "
        "&tokenizer.");
  for (const std::string& text : options.stop_strings)
    if (text.empty())
      throw ValueError("generate: stop_strings has an empty text, which every answer contains.");
  if (!options.on_token) return;
  if (prompts > 1)
    throw ValueError(fmt::format(
        "generate_batch: on_token is for one text, found {} prompts; call generate on each.",
        prompts));
  if (options.sampler.target<samplers::BeamSearch>())
    throw ValueError(
        "generate: on_token cannot be told tokens by a beam search, which knows its answer at the "
        "end alone.");
}

// The texts of all answers, one a row.
struct Rows {
  std::vector<Answer>& answers;

  Tensor tokens(size_t begin, size_t end) const {
    std::vector<int32_t> ids;
    int64_t rows = 0;
    for (const Answer& answer : answers)
      for (size_t text = 0; text < answer.texts(); ++text, ++rows)
        for (size_t place = begin; place < end; ++place)
          ids.push_back(static_cast<int32_t>(answer.token(text, place)));
    return Tensor::from(ids, {rows, static_cast<int64_t>(end - begin)});
  }
};

std::vector<std::vector<double>> last_logits(const Tensor& logits) {
  const std::vector<float> all = ops::cast(logits, DType::float32).to_vector<float>();
  const auto vocabulary = static_cast<ptrdiff_t>(logits.shape().back());
  const ptrdiff_t row = vocabulary * static_cast<ptrdiff_t>(logits.shape()[1]);
  std::vector<std::vector<double>> result;
  for (auto end = all.begin() + row; result.size() < static_cast<size_t>(logits.shape()[0]);
       end += row)
    result.emplace_back(end - vocabulary, end);
  return result;
}

}  // namespace

// What texts of one length have needed so far: the logits of their last tokens.
class CausalLM::Steps {
 public:
  Steps(CausalLM& model, bool use_cache, int64_t texts, int64_t length) : model_(model) {
    if (!use_cache) return;
    cache_ = model.make_cache(texts, length);
    step_ = model.step();
  }

  // Of the first `length` tokens of each row.
  std::vector<std::vector<double>> logits(const Rows& rows, size_t length) {
    if (cache_.empty()) return last_logits(model_.logits_of(rows.tokens(0, length)));
    const Tensor start = Tensor::from<int32_t>({static_cast<int32_t>(done_)}, {});
    const Tensor fresh = rows.tokens(done_, length);
    done_ = length;
    if (fresh.shape()[1] > 1)
      return last_logits(model_.last_logits_with_cache(fresh, cache_, start));
    Nest::List arguments{fresh, start};
    // The step may write into what nobody else holds, so nothing else holds it.
    std::move(cache_.begin(), cache_.end(), std::back_inserter(arguments));
    cache_.clear();
    std::vector<Tensor> results = (*step_)(Nest(std::move(arguments))).flatten();
    const Tensor found = results.front();
    results.erase(results.begin());
    cache_ = std::move(results);
    return last_logits(found);
  }

  // Row i goes on from what was row parents[i].
  void reorder(const std::vector<int32_t>& parents) {
    const Tensor rows = Tensor::from(parents, {static_cast<int64_t>(parents.size())});
    for (Tensor& part : cache_) part = ops::take(part, rows, 0);
  }

 private:
  CausalLM& model_;
  std::shared_ptr<Function> step_;
  std::vector<Tensor> cache_;
  size_t done_ = 0;
};

std::shared_ptr<Function> CausalLM::step() {
  std::vector<uint64_t> weights;
  if (const auto* layer = dynamic_cast<const Layer*>(this))
    for (const Variable& weight : layer->weights()) weights.push_back(weight.key());
  const std::lock_guard lock(step_mutex_);
  // A recorded step knows the weights that there were: enable_lora and quantize make others.
  if (step_ && weights == step_weights_) return step_;
  step_weights_ = std::move(weights);
  return step_ = std::make_shared<Function>([this](const Nest& arguments) -> Nest {
           std::vector<Tensor> all = arguments.flatten();
           std::vector<Tensor> cache(all.begin() + 2, all.end());
           const Tensor logits = call_with_cache(all[0], cache, all[1]);
           cache.insert(cache.begin(), logits);
           return cache;
         });
}

std::vector<int64_t> CausalLM::generate(const std::vector<int64_t>& prompt,
                                        const GenerateOptions& options) {
  return generate_batch({prompt}, options).front();
}

std::vector<std::vector<int64_t>> CausalLM::generate_batch(
    const std::vector<std::vector<int64_t>>& prompts, const GenerateOptions& options) {
  check_options(*this, options, prompts.size());
  if (prompts.empty()) return {};
  const int64_t most = options.max_length.value_or(max_sequence_length());
  const auto length = static_cast<size_t>(most);
  std::vector<Answer> answers;
  size_t place = length;
  for (const std::vector<int64_t>& prompt : prompts) {
    check_prompt(*this, prompt, most);
    const int64_t seed = options.seed ? *options.seed + static_cast<int64_t>(answers.size())
                                      : random::default_seed();
    answers.emplace_back(prompt, options, length, seed);
    place = std::min(place, prompt.size());
  }

  const Rows rows{answers};
  const size_t beams = answers.front().texts();
  std::vector<int32_t> same(answers.size() * beams);
  std::iota(same.begin(), same.end(), 0);
  Steps steps(*this, options.use_cache, static_cast<int64_t>(same.size()), most);
  // All texts grow together, one token at a time; those of longer prompts have theirs already.
  for (; !std::all_of(answers.begin(), answers.end(), std::mem_fn(&Answer::done)); ++place) {
    const std::vector<std::vector<double>> logits = steps.logits(rows, place);
    std::vector<int32_t> parents = same;
    for (size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].prompt_length() > place || answers[i].done()) continue;
      const size_t first = i * beams;
      const auto from = answers[i].advance(std::span(logits).subspan(first, beams));
      for (size_t k = 0; k < beams; ++k) parents[first + k] = static_cast<int32_t>(first + from[k]);
    }
    if (parents != same) steps.reorder(parents);
  }

  std::vector<std::vector<int64_t>> results;
  for (const Answer& answer : answers) results.push_back(answer.result());
  return results;
}

}  // namespace cornu::applications
