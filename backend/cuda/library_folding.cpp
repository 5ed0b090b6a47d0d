// Folding of convolutions for cuDNN.
#include "library_folding.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cornu::backend::cuda::cudnn {
namespace {

int64_t halved(int64_t size) { return (size + 1) / 2; }

// Elements of an axis that one box can copy: element first + 2 * i + d, for i < count and d <
// phases, is element phase + d of the folded axis's place at + i.
struct Piece {
  int64_t first, at, phase, count, phases;
};

// Cuts `size` elements behind `low` zeros into as few pieces as there can be, at least one. Whole
// pairs are preferred: they are longer runs in memory.
std::vector<Piece> pieces(int64_t low, int64_t size) {
  if (size <= 0) return {{0, 0, 0, 0, 1}};
  const int64_t head = low % 2, pairs = (size - head) / 2, tail = (size - head) % 2;
  std::vector<Piece> result;
  if (head != 0 && pairs != 0 && tail != 0) {
    // All even places, then all odd ones. `low` is odd, and so is the first element's place.
    result.push_back({1, (low + 1) / 2, 0, size / 2, 1});
    result.push_back({0, low / 2, 1, halved(size), 1});
    return result;
  }
  if (head != 0) result.push_back({0, low / 2, 1, 1, 1});
  if (pairs != 0) result.push_back({head, halved(low), 0, pairs, 2});
  if (tail != 0) result.push_back({size - 1, (low + size) / 2, 0, 1, 1});
  return result;
}

// Distances in the operand that is to be folded.
struct Strides {
  int64_t outer, row, column, channel;
};

// Folds rows and columns; `shape` is (outer, rows, columns, channels) of the result.
Copy fold(const std::vector<Piece>& rows, const std::vector<Piece>& columns, int64_t c,
          const Strides& from, const Shape& shape) {
  const int64_t column = shape[3], row = shape[2] * column;
  Copy copy;
  int64_t written = 0;
  for (const Piece& r : rows)
    for (const Piece& q : columns) {
      Copy::Part part;
      part.sizes = {shape[0], r.count, r.phases, q.count, q.phases, c};
      part.from = {
          r.first * from.row + q.first * from.column,
          {from.outer, 2 * from.row, from.row, 2 * from.column, from.column, from.channel}};
      part.to = {r.at * row + q.at * column + (r.phase * 2 + q.phase) * c,
                 {shape[1] * row, row, 2 * c, column, c, 1}};
      written += part.sizes.numel();
      copy.parts.push_back(std::move(part));
    }
  copy.shape = shape;
  copy.covers = written == shape.numel();
  return copy;
}

bool all_equal(const InlineVector<int64_t, 3>& values, int64_t value) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == value; });
}

}  // namespace

bool can_fold(const Conv& conv, const Shape& x) {
  const auto fits = [](const InlineVector<int64_t, 3>& pads) {
    return std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad >= 0; });
  };
  return x.rank() == 4 && conv.pass != ConvPass::backward_data && conv.strides.size() == 2 &&
         all_equal(conv.strides, 2) && all_equal(conv.dilation, 1) && fits(conv.pad_low) &&
         fits(conv.pad_high) && conv.groups == 1 && conv.block_x == 0 && conv.block_y == 0 &&
         !conv.pool;
}

Conv folded(const Conv& conv) {
  Conv result = conv;
  result.strides = result.dilation = {1, 1};
  result.pad_low = result.pad_high = {0, 0};
  return result;
}

Shape folded_shape(const Conv&, const Shape& x, const Shape& kernel, const Shape& y,
                   int64_t channels) {
  return {x[0], y[1] + halved(kernel[0]) - 1, y[2] + halved(kernel[1]) - 1, channels};
}

Copy fold_copy(const Conv& conv, const Shape& x, const Shape& kernel, const Shape& y,
               int64_t channels) {
  const Shape shape = folded_shape(conv, x, kernel, y, channels);
  const auto cut = [&](int axis) {
    const auto a = static_cast<size_t>(axis);
    const int64_t low = conv.pad_low.empty() ? 0 : conv.pad_low[a];
    return pieces(low, std::min(x[axis + 1], 2 * shape[axis + 1] - low));
  };
  const int64_t c = x[3];
  return fold(cut(0), cut(1), c, {x[1] * x[2] * c, x[2] * c, c, 1}, shape);
}

Shape folded_kernel(const Shape& kernel, int64_t channels) {
  return {halved(kernel[0]), halved(kernel[1]), channels, kernel[3]};
}

Copy fold_kernel_to_library(const Shape& kernel, int64_t channels) {
  const int64_t c = kernel[2], co = kernel[3];
  return fold(pieces(0, kernel[0]), pieces(0, kernel[1]), c, {1, kernel[1] * c * co, c * co, co},
              {co, halved(kernel[0]), halved(kernel[1]), channels});
}

Copy fold_kernel_from_library(const Shape& kernel, int64_t channels) {
  Copy copy = fold_kernel_to_library(kernel, channels);
  for (Copy::Part& part : copy.parts) std::swap(part.from, part.to);
  copy.shape = kernel;
  copy.covers = true;
  return copy;
}

}  // namespace cornu::backend::cuda::cudnn
