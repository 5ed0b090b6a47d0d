// How convolutions and attention look to cuDNN: pure functions of shapes, which need no cuDNN.
#pragma once
#include <cstdint>
#include <vector>

#include "../kernel.h"

namespace cornu::backend::cuda::cudnn {

/// Sizes and distances between elements, the first axis the batch and the second the channels, as
/// cuDNN orders them; the strides tell where they lie.
struct Layout {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The layout of a dense tensor whose axes lie in memory in the order of `sizes`.
Layout dense_layout(std::vector<int64_t> sizes);

struct ConvolutionGeometry {
  std::vector<int64_t> strides, dilation, pad_low, pad_high;
};

/// A convolution as cuDNN sees it: axes (n, c, spatial...) by strides over channels-last memory,
/// the kernel as (co, spatial..., ci / groups) in memory. One spatial axis becomes two, the first
/// of size 1.
struct ConvolutionLayouts {
  Layout x, kernel, y, bias;
  ConvolutionGeometry geometry;
};

/// Shapes are those of Conv's operands: x (n, spatial..., ci), kernel (spatial..., ci / groups,
/// co), y (n, spatial..., co).
ConvolutionLayouts convolution_layouts(const Conv& conv, const Shape& x, const Shape& kernel,
                                       const Shape& y);

/// Whether cuDNN's rule for the size of y holds: (x + padding - reach of the window) / stride + 1.
bool sizes_fit(const Conv& conv, const Shape& x, const Shape& kernel, const Shape& y);

/// The same convolution without padding, for an x that carries its padding in memory.
Conv without_padding(const Conv& conv);
/// x with its padding: (n, low + size + high..., ci).
Shape padded_shape(const Conv& conv, const Shape& x);
/// Copies x into the middle of zeros, and back out of it.
Copy pad_copy(const Conv& conv, const Shape& x);
Copy crop_copy(const Conv& conv, const Shape& x);

/// Copies a kernel (spatial..., ci / groups, co) to (co, spatial..., ci / groups), and back.
Copy kernel_to_library(const Shape& kernel);
Copy kernel_from_library(const Shape& kernel);
/// Whether the two orders are the same memory.
bool kernel_in_order(const Shape& kernel);

/// (batch, time, heads, d) as cuDNN's (batch, heads, time, d), or with the last two exchanged.
Layout attention_layout(const Shape& shape, bool exchanged = false);
}  // namespace cornu::backend::cuda::cudnn
