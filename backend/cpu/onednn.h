// What the CPU asks of oneDNN, without its headers.
#pragma once
#include <array>
#include <cstdint>

#include "../kernel.h"
#include "small_matmul.h"

namespace cornu::backend::cpu {

/// A convolution's sizes with three spatial axes; those that `spatial` (1 to 3) leaves out come
/// first and have size 1. All members have 8 bytes: the bytes are the key of the cache.
struct ConvSizes {
  int64_t pass, spatial, bias, groups, batch, in_channels, out_channels;
  std::array<int64_t, 3> x, kernel, y, strides, dilation, pad_low, pad_high;
};

/// The product of large matrices on `threads` threads.
void onednn_matmul(const MatrixProduct<float>& product, int threads);

/// Runs a pass of a convolution with the operands of kernel.h's Conv (`bias` may be null). False
/// when oneDNN has nothing for these sizes; nothing is written then. Thread-safe.
bool onednn_conv(const ConvSizes& sizes, const float* first, const float* second, const float* bias,
                 float* out);

}  // namespace cornu::backend::cpu
