// Fourier transforms: products with matrices of roots.
#include "../compositions.h"
#include "kernels.h"

namespace cornu::backend::cpu {

void run(const Fft& kernel, Operands inputs, Operands outputs) {
  composed(kernel, inputs, outputs, cpu_backend());
}

}  // namespace cornu::backend::cpu
