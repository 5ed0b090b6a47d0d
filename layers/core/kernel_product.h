// The product of a layer with a kernel, as LoRA and quantization need it.
#pragma once
#include "calibrated.h"
#include "quantized.h"

namespace cornu::layers {

/// A product that is linear in its inputs and in a kernel.
struct KernelProduct {
  WeightForm form;                    ///< of the kernel
  std::vector<int64_t> input_summed;  ///< axes of the inputs that are summed
  std::function<Tensor(const Tensor& x, const Tensor& kernel)> multiply;  ///< the product itself
  CalibratedForm calibrated = {};  ///< of the kernel, for GPTQ and AWQ
  /// The gradient of x as a product of that of the result and the kernel; empty where it is none.
  std::function<Tensor(const Tensor& dy, const Tensor& kernel)> input_gradient = {};
  /// Likewise that of the kernel.
  std::function<Tensor(const Tensor& x, const Tensor& dy)> kernel_gradient = {};
};

}  // namespace cornu::layers
