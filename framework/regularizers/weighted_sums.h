// What L1, L2 and L1L2 share: a weighted sum over the elements, in one kernel.
#pragma once
#include "../base/initializer.h"
#include "../config/config.h"
#include "../ops/op.h"

namespace cornu::regularizers {

/// Base of penalties sum(l1 * |x| + l2 * x^2).
class WeightedSums : public Regularizer {
 public:
  /// A scalar of x's dtype.
  Tensor operator()(const Tensor& x) final;

 protected:
  /// Throws ValueError unless both factors are finite and at least 0.
  void set_factors(double l1, double l2);

 private:
  backend::ProgramRef program_;
};

/// Throws ValueError unless the factor is finite and at least 0.
void check_factor(const char* option, double factor);

}  // namespace cornu::regularizers
