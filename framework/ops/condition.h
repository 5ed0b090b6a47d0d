// Condition: what comparisons and other questions about elements give.
#pragma once
#include "../tensor/tensor.h"

namespace cornu {

/// What a comparison gives: a tensor of a bool for each element. Of a single element it is also a
/// condition of C++'s: `if (loss < 0.1)`.
class Condition : public Tensor {
 public:
  /// The same tensor as a condition.
  Condition(Tensor tensor) : Tensor(std::move(tensor)) {}
  /// Whether the only element holds. Throws ShapeError for several elements, of which ops::all and
  /// ops::any make one, and StateError where there are no values.
  explicit operator bool() const;
};

}  // namespace cornu
