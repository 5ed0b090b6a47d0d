// Which library runs which kernel.
#include "library_kernels.h"

#include "cublas_matmul.h"
#include "cudnn_attention.h"
#include "cudnn_convolution.h"
#include "cudnn_device.h"

namespace cornu::backend::cuda {

std::unique_ptr<Executable> library_executable(const Kernel& kernel,
                                               std::span<const Operand> inputs,
                                               std::span<const Operand> outputs, Context& context) {
  if (const auto* matmul = std::get_if<Matmul>(&kernel))
    return cublas_matmul(*matmul, inputs, outputs, context);
  if (const auto* conv = std::get_if<Conv>(&kernel))
    return cudnn::convolution(*conv, inputs, outputs, context);
  if (const auto* attention = std::get_if<Attention>(&kernel))
    return cudnn::attention(*attention, inputs, outputs, context);
  return nullptr;
}

std::string library_versions() {
  std::string why_not_cublas, why_not_cudnn;
  const std::string cublas = cublas_version(&why_not_cublas);
  const std::string cudnn = cudnn::version(&why_not_cudnn);
  std::string text = cublas.empty() ? why_not_cublas : "cuBLASLt " + cublas;
  text += (cublas.empty() ? " " : ", ") + (cudnn.empty() ? why_not_cudnn : "cuDNN " + cudnn);
  if (const std::string note = cudnn::device_note(); !note.empty()) text += " " + note;
  return text;
}

}  // namespace cornu::backend::cuda
