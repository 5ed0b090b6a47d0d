// Convolutions of many small groups (depthwise ones above all) and of few input channels, for which
// tiles would stay empty.
#pragma once
#include "kernel_text.h"

namespace cornu::backend::cuda {

/// Three spatial axes; those that the operands lack come first and have size 1.
struct ConvSizes {
  int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  int64_t x[3], y[3], taps[3], strides[3], dilation[3], pad_low[3];

  static int64_t count(const int64_t* sizes) { return sizes[0] * sizes[1] * sizes[2]; }
  int64_t in_group() const { return in_channels / groups; }
  int64_t out_group() const { return out_channels / groups; }
};

ConvSizes conv_sizes(const Conv& kernel, const Shape& x, const Shape& weights, const Shape& y);

/// What the kernels of all convolutions know: operands a_data, b_data, c_data[, bias], sizes, and
/// the coordinates of pixels (of x for backward_data, else of y) by places_text.
void declare_conv(KernelText& text, const Conv& kernel, const ConvSizes& sizes,
                  std::span<const Operand> inputs, const Operand& output);

/// Coordinates p0 to p2 and `image` of `pixel`.
extern const char* const places_text;

/// Adds the stage that sums up the parts of weights' gradients that `splits` blocks have made; they
/// lie in the workspace at byte `at`, (splits, weights), of which this takes the memory.
void add_weights_sum(KernelPlan& plan, std::span<const Operand> inputs, const Operand& output,
                     int64_t splits, size_t at);

/// Whether a thread can keep the sums of several output channels, of few weights each.
bool has_few_inputs(const Conv& kernel, const ConvSizes& sizes);

/// Forwards and for the weights.
void add_few_inputs_conv(KernelPlan& plan, const Conv& kernel, const ConvSizes& s,
                         std::span<const Operand> inputs, const Operand& output, int64_t largest,
                         int multiprocessors);

bool has_small_groups(const ConvSizes& sizes);

/// Each result is summed up by one thread, or for weights by the threads and blocks that share the
/// pixels.
void add_direct_conv(KernelPlan& plan, const Conv& kernel, const ConvSizes& sizes,
                     std::span<const Operand> inputs, const Operand& output, int64_t largest,
                     int multiprocessors);

}  // namespace cornu::backend::cuda
