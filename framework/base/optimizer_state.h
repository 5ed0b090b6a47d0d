// What an optimizer keeps beside its options.
#pragma once
#include <regex>
#include <string>
#include <vector>

#include "optimizer.h"

namespace cornu {

struct Optimizer::State {
  std::vector<Variable> trainable;  // what the optimizer was built for
  std::vector<Variable> variables;  // what files hold
  std::vector<Variable> averages;
  std::vector<Variable> accumulators;
  Variable learning_rate;  // none when it follows a schedule

  std::vector<std::regex> excluded_names;
  std::vector<Variable> excluded;
  std::vector<char> decayed;  // whether weight decay applies, for each of `trainable`

  // The gradients of the step under way, and the numbers of their variables.
  std::vector<Tensor> gradients;
  std::vector<size_t> indices;
  bool warned_of_missing = false;
};

}  // namespace cornu
