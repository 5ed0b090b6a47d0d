// Names of the kernels, for errors and reports.
#include "kernel.h"

namespace cornu::backend {

const char* kernel_name(const Kernel& kernel) {
  static constexpr const char* names[] = {
      "fused",     "reduce", "matmul",    "conv",       "pool",       "softmax",
      "copy",      "gather", "scatter",   "sort",       "cumulative", "random",
      "normalize", "rnn",    "attention", "fused sets", "linalg",     "fft"};
  static_assert(std::size(names) == std::variant_size_v<Kernel>);
  return names[kernel.index()];
}

}  // namespace cornu::backend
