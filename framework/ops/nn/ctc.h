// Connectionist temporal classification: sequences of labels without the times at which they are
// uttered.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// -log p(target | output) of each sequence: labels (batch, n), logits (batch, t, classes), lengths
/// (batch) of both
/// -> (batch), float32 or wider. Class mask_index is the blank. Graves et al. (2006).
Tensor ctc_loss(const Tensor& target, const Tensor& output, const Tensor& target_length,
                const Tensor& output_length, int64_t mask_index = 0);

/// The labels that logits (batch, t, classes) stand for, (paths, batch, t), padded with -1, and
/// their scores (batch, paths). "greedy" takes the best class of each step, "beam_search" the
/// top_paths best of beam_width candidates. Throws ValueError for another strategy.
TensorTuple<2> ctc_decode(const Tensor& inputs, const Tensor& sequence_lengths,
                          const std::string& strategy = "greedy", int64_t beam_width = 100,
                          int64_t top_paths = 1, bool merge_repeated = true,
                          std::optional<int64_t> mask_index = 0);

}  // namespace cornu::ops
