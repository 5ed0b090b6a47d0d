// Batches of pictures: blocks of rows, which threads take as they come.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../image_batch.h"
#include "../image_sampling.h"
#include "parallel.h"

namespace cornu::backend::image {
namespace {

constexpr int64_t block_rows = 32;

Picture rows_of(const Picture& picture, int64_t begin, int64_t end) {
  Picture part = picture;
  part.data = picture.row(begin);
  part.height = end - begin;
  return part;
}

// Rows of a source that are read before blocks of the result look at them. Along a slanted line
// each few pixels are in another row, and memory would have to be waited for; rows in order come as
// fast as it gives them.
class RowsAhead {
 public:
  explicit RowsAhead(int64_t width) : x_(static_cast<size_t>(width + 32)), y_(x_.size()) {}

  // For rows `begin` to `end` of image i, which begins at `from`.
  void read(const Picture& from, int64_t i, const RowPlaces& places, int64_t begin, int64_t end,
            int64_t width) {
    const auto last = static_cast<size_t>(width - 1);
    places(begin, x_.data(), y_.data());
    const float corners[2] = {y_[0], y_[last]};
    if (!(std::abs(corners[0] - corners[1]) >= 2)) return;
    places(end - 1, x_.data(), y_.data());
    const auto [low, high] = std::minmax({corners[0], corners[1], y_[0], y_[last]});
    const auto row = [&](float y) {
      return static_cast<int64_t>(std::max(0.0f, std::min(y, static_cast<float>(from.height))));
    };
    const int64_t first = row(low), behind = std::min(row(high) + 2, from.height);
    // More than a cache holds would be gone before it is looked at.
    constexpr size_t most_bytes = size_t{1} << 20;
    if (static_cast<size_t>(std::max<int64_t>(behind - first, 0)) * from.row_bytes() > most_bytes)
      return;
    if (i != image_) {
      image_ = i;
      first_ = behind_ = first;
    }
    touch(from, first, std::min(first_, behind));
    touch(from, std::max(behind_, first), behind);
    first_ = std::min(first_, first);
    behind_ = std::max(behind_, behind);
  }

 private:
  static void touch(const Picture& from, int64_t begin, int64_t end) {
    constexpr size_t line = 64;
    if (begin >= end) return;
    const volatile std::byte* const data = from.row(begin);
    const size_t bytes = static_cast<size_t>(end - begin) * from.row_bytes();
    for (size_t k = 0; k < bytes; k += line) (void)data[k];
  }

  std::vector<float> x_, y_;  // with room for whole vectors behind a row
  int64_t image_ = -1, first_ = 0, behind_ = 0;
};

}  // namespace

void sample_batch(const Picture& from, const Picture& to, int64_t count,
                  std::span<const Homography> maps, const Sampling& sampling) {
  if (from.values() == 0 || to.values() == 0) return;
  const int64_t blocks = (to.height + block_rows - 1) / block_rows;
  const auto sample_block = [&](RowsAhead& ahead, int64_t i, int64_t begin) {
    const RowPlaces places =
        places_of(maps[maps.size() == 1 ? 0 : static_cast<size_t>(i)], to.width);
    const int64_t end = std::min(begin + block_rows, to.height);
    ahead.read(nth(from, i), i, places, begin, end, to.width);
    sample(
        nth(from, i), rows_of(nth(to, i), begin, end),
        [&](int64_t row, float* x, float* y) { places(begin + row, x, y); }, sampling);
  };
  // About what a pixel costs, by the scalar operations of a product.
  const int64_t work = count * to.values() * 8;
  cpu::parallel_or_throw(count * blocks, work, [&](int64_t begin, int64_t end) {
    RowsAhead ahead(to.width);
    for (int64_t k = begin; k < end; ++k) sample_block(ahead, k / blocks, k % blocks * block_rows);
  });
}

}  // namespace cornu::backend::image
