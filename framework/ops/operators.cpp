// The operators that choose between two ops.
#include "operators.h"

#include "numpy/bits.h"

namespace cornu {
namespace {

bool are_bools(const Tensor& x, const Tensor& y) {
  return x.dtype() == DType::boolean && y.dtype() == DType::boolean;
}

}  // namespace

Condition operator&(const Tensor& x, const Tensor& y) {
  return are_bools(x, y) ? ops::logical_and(x, y) : ops::bitwise_and(x, y);
}

Condition operator|(const Tensor& x, const Tensor& y) {
  return are_bools(x, y) ? ops::logical_or(x, y) : ops::bitwise_or(x, y);
}

Condition operator^(const Tensor& x, const Tensor& y) {
  return are_bools(x, y) ? ops::logical_xor(x, y) : ops::bitwise_xor(x, y);
}

Condition operator~(const Tensor& x) {
  return x.dtype() == DType::boolean ? ops::logical_not(x) : ops::bitwise_not(x);
}

Tensor operator<<(const Tensor& x, const Tensor& y) { return ops::left_shift(x, y); }
Tensor operator>>(const Tensor& x, const Tensor& y) { return ops::right_shift(x, y); }

}  // namespace cornu
