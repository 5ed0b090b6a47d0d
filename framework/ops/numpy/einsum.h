// Sums of products in Einstein's notation.
#pragma once
#include <string>

#include "../op.h"

namespace cornu::ops {

/// The sum of products that `subscripts` describes, one letter for each axis of each operand:
/// einsum("bij,bjk->bik", {a, b}) multiplies matrices. A letter that the result lacks is summed
/// over; a letter twice in one operand takes the diagonal; "..." stands for any further axes, which
/// broadcast. Without "->" the result has the letters that occur once, in alphabetical order, after
/// the axes of "...". Several operands are multiplied from left to right.
/// Throws ValueError when the subscripts cannot be read, ShapeError when they do not fit.
Tensor einsum(const std::string& subscripts, const std::vector<Tensor>& operands);
/// The same with the operands one by one: `einsum("ij,kj->ik", a, b)`.
template <std::convertible_to<Tensor>... T>
requires(sizeof...(T) > 0) Tensor einsum(const std::string& subscripts, const T&... operands) {
  return einsum(subscripts, std::vector<Tensor>{Tensor(operands)...});
}

}  // namespace cornu::ops
