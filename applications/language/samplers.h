// Samplers: how the next token is chosen by its logits.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace cornu::samplers {

/// Chooses among tokens: given the probability of each, and a number drawn in [0, 1), the token's
/// number. Greedy(), Random(), TopK(), TopP() and Beam() make one; a function of the program's is
/// one too.
using Sampler = std::function<int64_t(const std::vector<double>& probabilities, double draw)>;

/// What Greedy makes: a sign for generate, which then computes no probabilities.
struct GreedySearch {
  /// The likeliest token.
  int64_t operator()(const std::vector<double>& probabilities, double draw) const;
};
/// The likeliest token, the first of equal ones.
Sampler Greedy();
/// Each token as often as it is likely.
Sampler Random();
/// Random among the k likeliest tokens. Throws ValueError unless k is positive. Fan et al.,
/// https://arxiv.org/abs/1805.04833.
Sampler TopK(int64_t k = 5);
/// Random among the likeliest tokens that together have at least the probability p, in (0, 1].
/// Throws ValueError for another p. Holtzman et al., https://arxiv.org/abs/1904.09751.
Sampler TopP(double p = 0.1);

/// What Beam makes: a sign for generate, and for a single token the likeliest one.
struct BeamSearch {
  int64_t num_beams;  ///< texts that are written on at a time
  int64_t operator()(const std::vector<double>& probabilities, double draw) const;  ///< as Greedy
};
/// Beam search: of all texts that are one token longer than those kept so far, the num_beams
/// likeliest are kept, until all have come to an end; the answer is the likeliest. KerasHub's
/// BeamSampler. Throws ValueError unless num_beams is positive.
Sampler Beam(int64_t num_beams = 5);

}  // namespace cornu::samplers
