// Which library runs which kernel.
#include "library_kernels.h"

#include "cublas_matmul.h"
#include "cudnn_attention.h"
#include "cudnn_convolution.h"
#include "cudnn_device.h"
#include "cudnn_rnn.h"
#include "cufft_transform.h"
#include "cusolver_linalg.h"

namespace cornu::backend::cuda {

std::unique_ptr<Executable> library_executable(const Kernel& kernel,
                                               std::span<const Operand> inputs,
                                               std::span<const Operand> outputs, Context& context) {
  if (const auto* matmul = std::get_if<Matmul>(&kernel))
    return cublas_matmul(*matmul, inputs, outputs, context);
  if (const auto* conv = std::get_if<Conv>(&kernel); conv && !conv->pool && outputs.size() == 1)
    return cudnn::convolution(*conv, inputs, outputs, context);
  if (const auto* attention = std::get_if<Attention>(&kernel))
    return cudnn::attention(*attention, inputs, outputs, context);
  if (const auto* rnn = std::get_if<Rnn>(&kernel))
    return cudnn::rnn(*rnn, inputs, outputs, context);
  if (const auto* linalg = std::get_if<Linalg>(&kernel))
    return cusolver_linalg(*linalg, inputs, outputs, context);
  if (const auto* fft = std::get_if<Fft>(&kernel))
    return cufft_transform(*fft, inputs, outputs, context);
  return nullptr;
}

size_t library_rnn_reserve(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel,
                           Context& context) {
  return cudnn::rnn_reserve(rnn, dtype, x, kernel, context);
}

std::string library_versions() {
  std::string why_not_cublas, why_not_cudnn;
  const std::string cublas = cublas_version(&why_not_cublas);
  const std::string cudnn = cudnn::version(&why_not_cudnn);
  std::string text = cublas.empty() ? why_not_cublas : "cuBLASLt " + cublas;
  text += (cublas.empty() ? " " : ", ") + (cudnn.empty() ? why_not_cudnn : "cuDNN " + cudnn);
  if (const std::string note = cudnn::device_note(); !note.empty()) text += " " + note;
  std::string why_not_cusolver;
  const std::string cusolver = cusolver_version(&why_not_cusolver);
  text += cusolver.empty() ? " " + why_not_cusolver : ", cuSOLVER " + cusolver;
  std::string why_not_cufft;
  const std::string cufft = cufft_version(&why_not_cufft);
  text += cufft.empty() ? " " + why_not_cufft : ", cuFFT " + cufft;
  return text;
}

}  // namespace cornu::backend::cuda
