// Rows of pictures as floats, and their weighted sums: what resizing, filters and blends are made
// of.
#pragma once
#include <span>

#include "image.h"

namespace cornu::backend::image {

/// Writes `width` pixels of row y from column `left` on as floats; the picture is of uint8 or
/// float32.
void read_row(const Picture& from, int64_t y, int64_t left, int64_t width, float* to);

/// Fills row y of `to` with the sums of the rows times their weights, for uint8 rounded to even
/// and cut to 0 and 255. There is at least one row.
void weigh_rows(std::span<const float* const> rows, const float* weights, const Picture& to,
                int64_t y);
/// The same for n values of floats.
void weigh_rows(std::span<const float* const> rows, const float* weights, int64_t n, float* to);

}  // namespace cornu::backend::image
