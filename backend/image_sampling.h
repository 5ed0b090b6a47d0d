// Kernels that move pixels: sampling at computed coordinates, and resizing.
#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>

#include "image.h"

namespace cornu::backend::image {

/// How pictures are sampled.
struct Sampling {
  bool linear = true;          ///< between four pixels; or else from the nearest one
  Fill fill = Fill::constant;  ///< of what lies outside
  double value = 0;            ///< with Fill::constant
};

/// Writes where the pixels of a row of the result lie in the source: `x` and `y`, one number for
/// each column. Rows are asked for from the first to the last.
using RowPlaces = std::function<void(int64_t row, float* x, float* y)>;

/// Fills `to` with `from` sampled at the places. Linear sampling is for uint8, whose results are
/// rounded, and float32; to sample the nearest pixel any type will do, and halves are rounded away
/// from 0, as in Keras's map_coordinates. Both pictures have the same channels and dtype. In uint8
/// a result differs by less than 0.52 from the exact one.
void sample(const Picture& from, const Picture& to, const RowPlaces& places,
            const Sampling& sampling);

/// A projective map of the plane, row by row: (x, y, 1) becomes (a x + b y + c, ...) / w.
using Homography = std::array<double, 9>;

/// The places that a map of the result's pixels gives: ((a x + b y) + c) / w in float32, in this
/// order and each step rounded, as ops::affine_transform and ops::perspective_transform compute
/// them.
RowPlaces places_of(const Homography& map, int64_t width);
/// The places of each pixel moved by a field (height, width, 2) of steps in x and y.
RowPlaces places_of(const float* field, int64_t width);
/// The same for a field (height, width) of steps that are alike in x and y.
RowPlaces places_of_even(const float* field, int64_t width);

/// Fills `count` pictures, `to` and those behind it in memory, from as many that begin with `from`,
/// each sampled by its own map, or all by one. Uses the threads of kernels.
void sample_batch(const Picture& from, const Picture& to, int64_t count,
                  std::span<const Homography> maps, const Sampling& sampling);

/// Resizing by Keras's methods.
struct Resizing {
  /// "nearest", "bilinear", "bicubic", "lanczos3", "lanczos5" or "area".
  std::string interpolation = "bilinear";
  bool antialias = false;  ///< average over source pixels where the picture shrinks
};

/// Fills `to` with the window (top, left, height, width) of `from`, resized. "nearest" takes any
/// dtype, others uint8, whose results are rounded to even, and float32. Throws ValueError for an
/// unknown interpolation.
void resize(const Picture& from, const std::array<int64_t, 4>& window, const Picture& to,
            const Resizing& how);

/// Each row of `from` turned round, into `to` of the same form. They must not be one.
void mirror_rows(const Picture& from, const Picture& to);
/// `from` into `to` of the same form, mirrored about the vertical axis, the horizontal one, both or
/// none. They must not be one.
void mirror(const Picture& from, const Picture& to, bool left_right, bool up_down);

}  // namespace cornu::backend::image
