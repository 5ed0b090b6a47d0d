// What the CPU asks of oneDNN, without its headers.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "../kernel.h"
#include "small_matmul.h"

namespace cornu::backend::cpu {

/// A convolution's sizes with three spatial axes; those that `spatial` (1 to 3) leaves out come
/// first and have size 1. Blocks are kernel.h's; `relu` asks for max(y, 0) of a forward pass,
/// `bias` for adding one, or for its gradient beside that of the filters. All members have 8 bytes:
/// the bytes are the key of the cache.
struct ConvSizes {
  int64_t pass, spatial, bias, relu, groups, batch, in_channels, out_channels, block_x, block_y;
  std::array<int64_t, 3> x, kernel, y, strides, dilation, pad_low, pad_high;
};

/// The product of large matrices on the calling thread.
void onednn_matmul(const MatrixProduct<float>& product);

/// Where the operands of kernel.h's Conv lie; `bias` and `bias_gradient` are null unless asked for.
struct ConvData {
  const float* first = nullptr;
  const float* second = nullptr;
  const float* bias = nullptr;
  float* out = nullptr;
  float* bias_gradient = nullptr;
};

/// Runs a pass of a convolution, but no bias's gradient. False when oneDNN has nothing for these
/// sizes; nothing is written then. Thread-safe.
bool onednn_conv(const ConvSizes& sizes, const ConvData& data);

/// A convolution whose primitives, reorders and memory objects are made. For one caller at a time.
class PreparedConv {
 public:
  virtual ~PreparedConv() = default;
  /// As onednn_conv, with the bits that it gives.
  virtual void run(const ConvData& data) = 0;
  /// Whether a backward pass over the weights writes the bias's gradient, if its sizes ask for it.
  virtual bool gives_bias_gradient() const { return false; }
  /// Whether it reorders the filters of a forward pass in each run, unless they are kept.
  virtual bool reorders_filters() const = 0;
  /// Reorders them now; later runs do not look at theirs.
  virtual void keep_filters(const float* filters) = 0;
};

/// Null when oneDNN has nothing for these sizes.
std::unique_ptr<PreparedConv> prepare_onednn_conv(const ConvSizes& sizes);

/// What oneDNN chose for these sizes, such as "jit:avx512_core"; "" for nothing. For benchmarks.
std::string onednn_conv_name(const ConvSizes& sizes);

/// The size of channel blocks that suits oneDNN's instruction set; 0 without AVX.
int64_t onednn_channel_block();

}  // namespace cornu::backend::cpu
