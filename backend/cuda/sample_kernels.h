// One kernel of each kind, in the dtypes and sizes that models have: for reports and first runs.
#pragma once
#include <string>
#include <vector>

#include "../kernel.h"

namespace cornu::backend::cuda {

/// A kernel, and what it reads and writes.
struct SampleKernel {
  struct Array {
    DType dtype;
    Shape shape;
  };
  std::string name;  ///< "conv backward_data bfloat16"
  Kernel kernel;
  std::vector<Array> inputs, outputs;
};

/// At least one of each of Kernel's types.
std::vector<SampleKernel> sample_kernels();

}  // namespace cornu::backend::cuda
