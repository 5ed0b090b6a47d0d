// Generation: the logits of the last token, the choice of the next one.
#include "causal_lm.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "../../backend/error.h"
#include "../../framework/base/layer.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"

namespace cornu::applications {
namespace {

Tensor row_of(const std::vector<int64_t>& ids) {
  std::vector<int32_t> row(ids.begin(), ids.end());
  return Tensor::from(row, {1, static_cast<int64_t>(row.size())});
}

std::vector<double> last_logits(const Tensor& logits) {
  const std::vector<float> all = ops::cast(logits, DType::float32).to_vector<float>();
  return {all.end() - static_cast<ptrdiff_t>(logits.shape().back()), all.end()};
}

std::vector<double> probabilities_of(std::vector<double> logits, const std::vector<int64_t>& ids,
                                     const GenerateOptions& options) {
  for (const int64_t id : std::set<int64_t>(ids.begin(), ids.end())) {
    double& logit = logits[static_cast<size_t>(id)];
    logit = logit > 0 ? logit / options.repetition_penalty : logit * options.repetition_penalty;
  }
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (double& logit : logits) sum += logit = std::exp((logit - largest) / options.temperature);
  for (double& probability : logits) probability /= sum;
  return logits;
}

void check_options(const CausalLM& model, const std::vector<int64_t>& prompt,
                   const GenerateOptions& options) {
  if (prompt.empty()) throw ValueError("generate: the prompt has no tokens; give one at least.");
  for (const int64_t id : prompt)
    if (id < 0 || id >= model.vocabulary_size())
      throw ValueError(fmt::format("generate: the prompt has the token {}; tokens are 0 to {}.", id,
                                   model.vocabulary_size() - 1));
  const int64_t most = model.max_sequence_length();
  const int64_t length = options.max_length.value_or(most);
  if (length > most || static_cast<int64_t>(prompt.size()) > length)
    throw ValueError(
        fmt::format("generate: a prompt of {} tokens and max_length {} do not fit: the model takes "
                    "{} tokens, prompt and answer together.",
                    prompt.size(), length, most));
  if (!(options.temperature > 0))
    throw ValueError(
        fmt::format("generate: temperature must be positive, found {}. For no chance at all there "
                    "is samplers::Greedy().",
                    options.temperature));
  if (!(options.repetition_penalty > 0))
    throw ValueError(fmt::format("generate: repetition_penalty must be positive, found {}.",
                                 options.repetition_penalty));
}

}  // namespace

// What a text has needed so far: the logits of its last token.
class CausalLM::Steps {
 public:
  Steps(CausalLM& model, bool use_cache, int64_t length) : model_(model) {
    if (!use_cache) return;
    cache_ = model.make_cache(length);
    step_ = model.step();
  }

  std::vector<double> logits(const std::vector<int64_t>& ids) {
    if (cache_.empty()) return last_logits(model_.logits_of(row_of(ids)));
    const auto known = static_cast<int32_t>(done_);
    const Tensor start = Tensor::from<int32_t>({known}, {});
    const Tensor fresh = row_of({ids.begin() + known, ids.end()});
    done_ = ids.size();
    if (fresh.shape()[1] > 1) return last_logits(model_.call_with_cache(fresh, cache_, start));
    Nest::List arguments{fresh, start};
    arguments.insert(arguments.end(), cache_.begin(), cache_.end());
    std::vector<Tensor> results = (*step_)(Nest(arguments)).flatten();
    const Tensor found = results.front();
    results.erase(results.begin());
    cache_ = std::move(results);
    return last_logits(found);
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
  check_options(*this, prompt, options);
  const auto length = static_cast<size_t>(options.max_length.value_or(max_sequence_length()));
  std::mt19937_64 generator(
      static_cast<uint64_t>(options.seed ? *options.seed : random::default_seed()));
  std::vector<int64_t> ids = prompt;
  Steps steps(*this, options.use_cache, static_cast<int64_t>(length));
  while (ids.size() < length) {
    // 53 bits: the same draws whatever the standard library.
    const double draw = static_cast<double>(generator() >> 11) * 0x1p-53;
    const int64_t next = options.sampler(probabilities_of(steps.logits(ids), ids, options), draw);
    ids.push_back(next);
    if (options.on_token && !options.on_token(next)) break;
    if (std::find(options.stop.begin(), options.stop.end(), next) != options.stop.end()) break;
  }
  return ids;
}

}  // namespace cornu::applications
