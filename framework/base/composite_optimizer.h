// CompositeOptimizer: what an optimizer made of others shows of them.
#pragma once
#include <memory>
#include <vector>

#include "optimizer.h"

namespace cornu {

/// Base of an optimizer that leaves the variables to others, which have learning rates of their
/// own.
class CompositeOptimizer : public Optimizer {
 public:
  using Optimizer::Optimizer;
  /// The others, without repetition.
  virtual const std::vector<std::shared_ptr<Optimizer>>& optimizers() const = 0;
};

}  // namespace cornu
