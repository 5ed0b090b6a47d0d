// The loops of winograd.cpp, of which there is a copy for each instruction set.
#pragma once
#include <cstdint>

namespace cornu::backend::cpu {

/// A convolution with 3x3 windows and strides of 1, all in blocks of channels as wide as a vector.
struct WinogradShape {
  int64_t batch = 0, in = 0, out = 0;  ///< channels
  int64_t rows = 0, columns = 0, out_rows = 0, out_columns = 0;
  int64_t pad_rows = 0, pad_columns = 0;  ///< before the first

  int64_t tile_rows() const { return (out_rows + 3) / 4; }
  int64_t tile_columns() const { return (out_columns + 3) / 4; }
  int64_t tiles() const { return batch * tile_rows() * tile_columns(); }
};

struct WinogradProblem : WinogradShape {
  bool turned = false;  ///< the filters are (3, 3, out, in), to be turned by half a circle
  bool relu = false;
  int64_t step = 0;  ///< tiles that are worked on at a time
  const float* x = nullptr;
  const float* filters = nullptr;  ///< transformed
  const float* bias = nullptr;
  float* y = nullptr;
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

/// The gradient of the filters: for each of 36 places in a transformed tile, a product of the data
/// (tiles, in), turned, with the results' gradients (tiles, out).
struct WinogradWeights : WinogradShape {
  int64_t step = 0;  ///< tiles that are worked on at a time
  const float* x = nullptr;
  const float* dy = nullptr;
  float* data = nullptr;       ///< transformed, of one step
  float* gradients = nullptr;  ///< likewise
};

struct WinogradWeightLoops {
  int64_t lanes;  ///< of a vector; 0 where this is not worth while
  int64_t (*data_floats)(const WinogradWeights&);
  int64_t (*gradient_floats)(const WinogradWeights&);
  /// Transforms the tiles [begin, end) of the step that starts with tile `first`, and adds the
  /// gradients of each channel up in `bias`, unless that is null.
  void (*transform)(const WinogradWeights&, int64_t first, int64_t begin, int64_t end, float* bias);
  /// Products belong to blocks of filters, each with sums of its own.
  int64_t (*blocks)(const WinogradWeights&);
  int64_t (*block_floats)(const WinogradWeights&);
  /// Sets a block's sums to (or `adds` to them) the products of `count` tiles.
  void (*multiply)(const WinogradWeights&, int64_t block, int64_t count, bool adds, float* sums);
  /// Transforms a block's sums to gradients of filters.
  void (*finish)(const WinogradWeights&, int64_t block, const float* sums, float* filters);
};

const WinogradWeightLoops& winograd_weight_loops();

}  // namespace cornu::backend::cpu
