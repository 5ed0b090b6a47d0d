// The choice of tokens, and where texts end.
#include "answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "../../backend/error.h"

namespace cornu::applications {
namespace {

[[noreturn]] void refuse_logits(size_t tokens) {
  throw ValueError(fmt::format(
      "generate: the logits behind {} tokens are no finite numbers, so that no token is "
      "likely. Have the model's weights become NaN?",
      tokens));
}

// With the repetition penalty.
std::vector<double> penalized(std::vector<double> logits, const std::vector<int64_t>& ids,
                              const GenerateOptions& options) {
  if (options.repetition_penalty == 1) return logits;
  for (const int64_t id : std::set<int64_t>(ids.begin(), ids.end())) {
    double& logit = logits[static_cast<size_t>(id)];
    logit = logit > 0 ? logit / options.repetition_penalty : logit * options.repetition_penalty;
  }
  return logits;
}

std::vector<double> probabilities_of(std::vector<double> given, const std::vector<int64_t>& ids,
                                     const GenerateOptions& options) {
  std::vector<double> logits = penalized(std::move(given), ids, options);
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (double& logit : logits) sum += logit = std::exp((logit - largest) / options.temperature);
  if (!std::isfinite(sum)) refuse_logits(ids.size());
  for (double& probability : logits) probability /= sum;
  return logits;
}

// What Greedy chooses by probabilities, without computing those of a whole vocabulary.
int64_t likeliest(std::vector<double> given, const std::vector<int64_t>& ids,
                  const GenerateOptions& options) {
  const std::vector<double> logits = penalized(std::move(given), ids, options);
  const auto best = std::max_element(logits.begin(), logits.end());
  const bool has_nan = std::any_of(logits.begin(), logits.end(), [](double z) { return z != z; });
  if (has_nan || !std::isfinite(*best)) refuse_logits(ids.size());
  return best - logits.begin();
}

}  // namespace

Answer::Answer(const std::vector<int64_t>& prompt, const GenerateOptions& options, size_t length,
               int64_t seed)
    : options_(options),
      prompt_length_(prompt.size()),
      length_(length),
      generator_(static_cast<uint64_t>(seed)),
      texts_(1, Text{.ids = prompt}) {
  const auto* search = options.sampler.target<samplers::BeamSearch>();
  if (!search) return;
  // All but the first are so unlikely that none goes on while the first has enough tokens.
  texts_.resize(static_cast<size_t>(search->num_beams),
                Text{.ids = prompt, .log_probability = -1e9F});
}

int64_t Answer::token(size_t text, size_t place) const {
  const std::vector<int64_t>& ids = texts_[text].ids;
  return place < ids.size() ? ids[place] : 0;
}

bool Answer::done() const {
  return texts_.front().ids.size() >= length_ ||
         std::all_of(texts_.begin(), texts_.end(), [](const Text& text) { return text.end != 0; });
}

bool Answer::ends(const std::vector<int64_t>& ids) const {
  const std::vector<int64_t>& stop = options_.stop;
  if (std::find(stop.begin(), stop.end(), ids.back()) != stop.end()) return true;
  if (options_.stop_strings.empty()) return false;
  // All of it: what a token's text is may depend on those before.
  const std::string text = options_.tokenizer->decode(std::span(ids).subspan(prompt_length_));
  return std::any_of(options_.stop_strings.begin(), options_.stop_strings.end(),
                     [&](const std::string& s) { return text.find(s) != std::string::npos; });
}

void Answer::append(Text& text, int64_t id) const {
  text.ids.push_back(id);
  if (text.end == 0 && ends(text.ids)) text.end = text.ids.size();
}

std::vector<size_t> Answer::advance(std::span<const std::vector<double>> logits) {
  if (options_.sampler.target<samplers::BeamSearch>()) return advance_beams(logits);
  Text& text = texts_.front();
  // 53 bits: the same draws whatever the standard library.
  const double draw = static_cast<double>(generator_() >> 11) * 0x1p-53;
  const int64_t id = options_.sampler.target<samplers::GreedySearch>()
                         ? likeliest(logits[0], text.ids, options_)
                         : options_.sampler(probabilities_of(logits[0], text.ids, options_), draw);
  if (id < 0 || id >= static_cast<int64_t>(logits[0].size()))
    throw ValueError(fmt::format("generate: the sampler chose the token {}; tokens are 0 to {}.",
                                 id, logits[0].size() - 1));
  append(text, id);
  if (options_.on_token && !options_.on_token(text.ids.back())) text.end = text.ids.size();
  return {0};
}

std::vector<size_t> Answer::advance_beams(std::span<const std::vector<double>> logits) {
  const size_t vocabulary = logits[0].size();
  std::vector<float> scores;
  scores.reserve(texts_.size() * vocabulary);
  for (size_t i = 0; i < texts_.size(); ++i)
    for (const double probability : probabilities_of(logits[i], texts_[i].ids, options_))
      scores.push_back(static_cast<float>(std::log(probability)) + texts_[i].log_probability);

  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto end_of_best = order.begin() + static_cast<ptrdiff_t>(texts_.size());
  std::partial_sort(order.begin(), end_of_best, order.end(), [&](size_t a, size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });

  std::vector<size_t> parents;
  std::vector<Text> texts;
  for (auto it = order.begin(); it != end_of_best; ++it) {
    parents.push_back(*it / vocabulary);
    // One that has ended goes on all the same, as in KerasHub: it is to stay among the likeliest.
    texts.push_back(texts_[parents.back()]);
    texts.back().log_probability = scores[*it];
    append(texts.back(), static_cast<int64_t>(*it % vocabulary));
  }
  texts_ = std::move(texts);
  return parents;
}

std::vector<int64_t> Answer::result() const {
  const Text& best = *std::max_element(
      texts_.begin(), texts_.end(),
      [](const Text& a, const Text& b) { return a.log_probability < b.log_probability; });
  std::vector<int64_t> ids = best.ids;
  if (best.end != 0) ids.resize(best.end);
  return ids;
}

}  // namespace cornu::applications
