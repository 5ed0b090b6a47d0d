// Convolutions by cuDNN.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "context.h"
#include "cudnn_graph.h"

namespace cornu::backend::cuda::cudnn {

/// How a convolution runs: as one plan, with copies and an elementwise kernel around it where cuDNN
/// does not take it whole.
struct ConvolutionPlan {
  std::shared_ptr<const Plan> plan = {};
  bool fused = false;      ///< the plan adds the bias and clips
  bool padded = false;     ///< x has its padding in memory
  int64_t channels = 0;    ///< of a folded convolution, see library_folding.h; 0: it is not folded
  bool product = false;    ///< without a plan, see conv_products.h
  bool generated = false;  ///< without a plan, by a generated kernel
};

/// The tensors of the plan, as Graph numbers them.
inline constexpr int64_t convolution_x = 1, convolution_kernel = 2, convolution_y = 3,
                         convolution_bias = 4;

/// Ways to run a convolution: all in one, then bias and clipping apart, of each at most `most`; or
/// else that with the padding apart. Then, where a strided x has few channels, those folded. With
/// `most` 1 only the first of all. None when cuDNN has none. Shapes are those of x, the kernel
/// and y, whatever the pass. float32 uses tensor cores only when `tf32`.
std::vector<ConvolutionPlan> plan_convolution(const Target& target, const Conv& conv, DType dtype,
                                              const Shape& x, const Shape& kernel, const Shape& y,
                                              size_t workspace, bool tf32, size_t most = 1,
                                              std::string* why = nullptr);

/// Null when cuDNN does not have it.
std::unique_ptr<Executable> convolution(const Conv& conv, std::span<const Operand> inputs,
                                        std::span<const Operand> outputs, Context& context);

}  // namespace cornu::backend::cuda::cudnn
