// What an optimizer keeps beside its options.
#pragma once
#include <regex>
#include <string>
#include <vector>

#include "optimizer.h"

namespace cornu {

/// The state of an optimizer, for its own sources.
struct Optimizer::State {
  std::vector<Variable> trainable;     ///< what the optimizer was built for
  std::vector<Variable> variables;     ///< what files hold
  std::vector<Variable> averages;      ///< with use_ema, of each of `trainable`
  std::vector<Variable> accumulators;  ///< with gradient_accumulation_steps, likewise
  Variable learning_rate;              ///< none when it follows a schedule

  std::vector<std::regex> excluded_names;  ///< from weight decay: patterns of names
  std::vector<Variable> excluded;          ///< the same: variables
  std::vector<char> decayed;               ///< whether it applies, for each of `trainable`

  std::vector<Tensor> gradients;   ///< of the step under way
  std::vector<size_t> indices;     ///< of their variables in `trainable`
  bool warned_of_missing = false;  ///< whether a warning named variables without a gradient
};

}  // namespace cornu
