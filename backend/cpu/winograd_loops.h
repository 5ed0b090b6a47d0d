// The loops of winograd.cpp, of which there is a copy for each instruction set.
#pragma once
#include <cstdint>

namespace cornu::backend::cpu {

/// A convolution with 3x3 windows and strides of 1, all in blocks of channels as wide as a vector.
struct WinogradProblem {
  int64_t batch = 0, in = 0, out = 0;  ///< channels
  int64_t rows = 0, columns = 0, out_rows = 0, out_columns = 0;
  int64_t pad_rows = 0, pad_columns = 0;  ///< before the first
  bool turned = false;  ///< the filters are (3, 3, out, in), to be turned by half a circle
  bool relu = false;
  int64_t step = 0;  ///< tiles that are worked on at a time
  const float* x = nullptr;
  const float* filters = nullptr;  ///< transformed
  const float* bias = nullptr;
  float* y = nullptr;

  int64_t tile_rows() const { return (out_rows + 3) / 4; }
  int64_t tile_columns() const { return (out_columns + 3) / 4; }
  int64_t tiles() const { return batch * tile_rows() * tile_columns(); }
};

struct WinogradLoops {
  int64_t lanes;  ///< of a vector; 0 where this is not worth while
  /// Floats of the transformed filters, and of the scratch memory that `convolve` wants.
  int64_t (*filter_floats)(const WinogradProblem&);
  int64_t (*scratch)(const WinogradProblem&);
  /// Transforms the filters of the input channels [begin, end).
  void (*filters)(const WinogradProblem&, const float* kernel, int64_t begin, int64_t end,
                  float* to);
  /// Computes the tiles [begin, end); `begin` is a multiple of the step.
  void (*convolve)(const WinogradProblem&, int64_t begin, int64_t end, float* scratch);
};

const WinogradLoops& winograd_loops();

}  // namespace cornu::backend::cpu
