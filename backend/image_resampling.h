// Pictures resampled by weights along their two axes: what resizing and its derivative are made of.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "image_sampling.h"

namespace cornu::backend::image {

/// Which pixels of an axis make those of another: pixel i is the sum of the `taps` pixels from
/// first[i] on times the weights from i * taps on. All of them lie on the axis.
struct AxisWeights {
  int64_t taps = 1;             ///< neighbors of each pixel of the result
  std::vector<int64_t> first;   ///< one for each pixel of the result
  std::vector<double> weights;  ///< `taps` for each
};

/// How an axis of `size` pixels becomes one of `output`. Places are computed in float32, as by
/// Keras, and those of "bicubic" without antialiasing rounded to 1024ths of a pixel, as TensorFlow
/// rounds them; pixels beyond the ends have no weight, and the others sum to 1. Throws ValueError
/// for an unknown interpolation.
AxisWeights resize_weights(int64_t size, int64_t output, const Resizing& how);

/// The weights of the derivative: from an axis of `weights`' results back to `count` pixels from
/// `begin` on, which may lie beyond those that it was made for: they have no weight.
AxisWeights transposed(const AxisWeights& weights, int64_t begin, int64_t count);

/// A window of a picture, which may reach beyond it: what is outside has the value.
struct Frame {
  int64_t top = 0;     ///< first row
  int64_t left = 0;    ///< first column
  int64_t height = 0;  ///< number of rows
  int64_t width = 0;   ///< number of columns
  double value = 0;    ///< outside of the picture
};

/// Fills `count` pictures, `to` and those behind it in memory, from frames of as many that begin
/// with `from`, by weights along their rows (`across`) and then down their columns. uint8 (rounded
/// to even, cut to 0 and 255), float32 and float64. Uses the threads of kernels.
void resample_batch(const Picture& from, const Picture& to, int64_t count, const Frame& frame,
                    const AxisWeights& across, const AxisWeights& down);

/// The same by "nearest" pixels of frames inside of the pictures, of any dtype.
void resample_nearest(const Picture& from, const Picture& to, int64_t count, const Frame& frame);

}  // namespace cornu::backend::image
