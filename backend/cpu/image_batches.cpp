// Batches of pictures: blocks of rows, which threads take as they come.
#include <algorithm>

#include "../image_sampling.h"
#include "parallel.h"

namespace cornu::backend::image {
namespace {

constexpr int64_t block_rows = 32;

// Picture i of those that begin with `first`.
Picture entry(const Picture& first, int64_t i) {
  Picture one = first;
  one.data = first.row(i * first.height);
  return one;
}

Picture rows_of(const Picture& picture, int64_t begin, int64_t end) {
  Picture part = picture;
  part.data = picture.row(begin);
  part.height = end - begin;
  return part;
}

}  // namespace

void sample_batch(const Picture& from, const Picture& to, int64_t count,
                  std::span<const Homography> maps, const Sampling& sampling) {
  const int64_t blocks = (to.height + block_rows - 1) / block_rows;
  const auto sample_block = [&](int64_t i, int64_t begin) {
    const RowPlaces places =
        places_of(maps[maps.size() == 1 ? 0 : static_cast<size_t>(i)], to.width);
    const int64_t end = std::min(begin + block_rows, to.height);
    sample(
        entry(from, i), rows_of(entry(to, i), begin, end),
        [&](int64_t row, float* x, float* y) { places(begin + row, x, y); }, sampling);
  };
  // About what a pixel costs, by the scalar operations of a product.
  const int64_t work = count * to.values() * 8;
  cpu::parallel_or_throw(count * blocks, work, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) sample_block(k / blocks, k % blocks * block_rows);
  });
}

}  // namespace cornu::backend::image
