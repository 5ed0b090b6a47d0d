// Training with less memory: a model's steps in sections that are computed again for the gradient.
#pragma once
#include <limits>
#include <vector>

#include "model.h"

namespace cornu::detail {

/// One step of a model, in any unit of memory.
struct StepSize {
  double made = 0;  ///< what it computes
  /// What must be kept from there on if the steps are cut behind it; infinite where they cannot be.
  double across = std::numeric_limits<double>::infinity();
};

/// Where to cut: the ends of sections, the last of them the number of steps. What lies between
/// sections is kept until the gradients have come back to there; what a section makes is there for
/// one at a time. The most that there is at once is as small as it can be, so sections get shorter
/// towards the end.
std::vector<size_t> segment_ends(const std::vector<StepSize>& steps);

/// Whether the model, which is being called, is to run in sections: compile said `remat`, it
/// trains, and somebody will ask for gradients.
bool wants_segments(const Model& model, const Nest& inputs);

}  // namespace cornu::detail
