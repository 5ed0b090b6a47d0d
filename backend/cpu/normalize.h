// The four forms of the Normalize kernel; T is float or double.
#pragma once
#include "kernels.h"

namespace cornu::backend::cpu {

class NormalizePrograms;

template <class T>
void channels_forward(const Normalize& kernel, Operands inputs, Operands outputs,
                      const NormalizePrograms& programs);
template <class T>
void channels_backward(const Normalize& kernel, Operands inputs, Operands outputs,
                       const NormalizePrograms& programs);
template <class T>
void rows_forward(const Normalize& kernel, Operands inputs, Operands outputs,
                  const NormalizePrograms& programs);
template <class T>
void rows_backward(const Normalize& kernel, Operands inputs, Operands outputs,
                   const NormalizePrograms& programs);

}  // namespace cornu::backend::cpu
