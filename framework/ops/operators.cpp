// Conditions, and the operators that choose between two ops.
#include "operators.h"

#include "../../backend/error.h"

namespace cornu {
namespace {

bool are_bools(const Tensor& x, const Tensor& y) {
  return x.dtype() == DType::boolean && y.dtype() == DType::boolean;
}

}  // namespace

Condition::operator bool() const {
  if (is_eager() && size() != 1)
    throw ShapeError("a condition needs a single element, found the shape " + shape().str() +
                     ". Ask for ops::all(...) or ops::any(...) of it.");
  return item() != 0;
}

Condition operator&(const Tensor& x, const Tensor& y) {
  return Condition(are_bools(x, y) ? ops::logical_and(x, y) : ops::bitwise_and(x, y));
}

Condition operator|(const Tensor& x, const Tensor& y) {
  return Condition(are_bools(x, y) ? ops::logical_or(x, y) : ops::bitwise_or(x, y));
}

Condition operator^(const Tensor& x, const Tensor& y) {
  return Condition(are_bools(x, y) ? ops::logical_xor(x, y) : ops::bitwise_xor(x, y));
}

Condition operator~(const Tensor& x) {
  return Condition(x.dtype() == DType::boolean ? ops::logical_not(x) : ops::bitwise_not(x));
}

}  // namespace cornu
