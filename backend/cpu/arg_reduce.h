// argmax and argmin of elementwise programs.
#pragma once
#include "kernels.h"

namespace cornu::backend::cpu {

/// Position of the first largest (smallest) value along one axis, or of all elements; NaN wins.
void arg_reduce(const Reduce& kernel, Operands inputs, const Operand& output);

}  // namespace cornu::backend::cpu
