// Choosing tokens by chance or without.
#include "samplers.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "../../backend/error.h"

namespace cornu::samplers {
namespace {

// The token at which the sum over these tokens passes the share `draw` of the whole.
int64_t pick(const std::vector<int64_t>& tokens, const std::vector<double>& probabilities,
             double draw) {
  double rest = 0;
  for (const int64_t token : tokens) rest += probabilities[static_cast<size_t>(token)];
  rest *= draw;
  int64_t last = tokens.back();  // where rounding leaves a rest: the last one that is possible
  for (const int64_t token : tokens) {
    const double probability = probabilities[static_cast<size_t>(token)];
    rest -= probability;
    if (rest < 0) return token;
    if (probability > 0) last = token;
  }
  return last;
}

std::vector<int64_t> all_tokens(const std::vector<double>& probabilities) {
  std::vector<int64_t> tokens(probabilities.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

// By probability, the likeliest first.
std::vector<int64_t> ranked(const std::vector<double>& probabilities) {
  std::vector<int64_t> tokens = all_tokens(probabilities);
  std::stable_sort(tokens.begin(), tokens.end(), [&](int64_t a, int64_t b) {
    return probabilities[static_cast<size_t>(a)] > probabilities[static_cast<size_t>(b)];
  });
  return tokens;
}

}  // namespace

int64_t GreedySearch::operator()(const std::vector<double>& probabilities, double) const {
  return std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin();
}

Sampler Greedy() { return GreedySearch(); }

Sampler Random() {
  return [](const std::vector<double>& probabilities, double draw) {
    return pick(all_tokens(probabilities), probabilities, draw);
  };
}

Sampler TopK(int64_t k) {
  if (k <= 0) throw ValueError(fmt::format("TopK: k must be positive, found {}.", k));
  return [k](const std::vector<double>& probabilities, double draw) {
    std::vector<int64_t> tokens = ranked(probabilities);
    tokens.resize(std::min(tokens.size(), static_cast<size_t>(k)));
    return pick(tokens, probabilities, draw);
  };
}

Sampler TopP(double p) {
  if (!(p > 0 && p <= 1)) throw ValueError(fmt::format("TopP: p must be in (0, 1], found {}.", p));
  return [p](const std::vector<double>& probabilities, double draw) {
    std::vector<int64_t> tokens = ranked(probabilities);
    double sum = 0;
    size_t count = 0;
    while (count < tokens.size() && sum < p)
      sum += probabilities[static_cast<size_t>(tokens[count++])];
    tokens.resize(count);
    return pick(tokens, probabilities, draw);
  };
}

int64_t BeamSearch::operator()(const std::vector<double>& probabilities, double draw) const {
  return Greedy()(probabilities, draw);
}

Sampler Beam(int64_t num_beams) {
  if (num_beams <= 0)
    throw ValueError(fmt::format("Beam: num_beams must be positive, found {}.", num_beams));
  return BeamSearch{num_beams};
}

}  // namespace cornu::samplers
