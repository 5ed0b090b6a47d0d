// Masks as runs of true values, of which pictures have few.
#include "../image_paste.h"

#include <algorithm>
#include <cstring>

#include "../image_rows.h"

namespace cornu::backend::image {
namespace {

// Calls f(begin, end) for each run of values of a row of `to` for which the mask is true.
template <class F>
void for_each_run(const Picture& mask, const Picture& to, int64_t y, const F& f) {
  const int64_t n = mask.row_values(), step = mask.channels == to.channels ? 1 : to.channels;
  const auto* const row = mask.row_as<uint8_t>(y);
  const auto find = [&](int64_t from, int value) {
    const void* const found = std::memchr(row + from, value, static_cast<size_t>(n - from));
    return found ? static_cast<const uint8_t*>(found) - row : n;
  };
  for (int64_t begin = find(0, 1), end; begin < n; begin = find(end, 1)) {
    end = find(begin, 0);
    f(begin * step, end * step);
  }
}

// Values of a row of `from` into row y of `to`.
void copy_values(const Picture& from, int64_t row, const Picture& to, int64_t y, int64_t begin,
                 int64_t end) {
  const size_t size = size_of(from.dtype), count = static_cast<size_t>(end - begin);
  std::byte* const out = to.row(y) + static_cast<size_t>(begin) * size_of(to.dtype);
  if (from.dtype == to.dtype) {
    std::memcpy(out, from.row(row) + static_cast<size_t>(begin) * size, count * size);
    return;
  }
  const Picture values{from.row(row), 1, from.row_values(), 1, from.dtype};
  read_row(values, 0, begin, end - begin, reinterpret_cast<float*>(out));
}

}  // namespace

void copy_pixels(const Picture& from, const Picture& to) {
  for (int64_t y = 0; y < to.height; ++y) copy_values(from, y, to, y, 0, to.row_values());
}

void paste_where(const Picture& mask, const Picture& other, const Picture& from,
                 const Picture& to) {
  for (int64_t y = 0; y < to.height; ++y) {
    copy_values(from, y, to, y, 0, to.row_values());
    for_each_run(mask, to, y, [&](int64_t begin, int64_t end) {
      copy_values(other, other.height == 1 ? 0 : y, to, y, begin, end);
    });
  }
}

void draw_where(const Picture& mask, Key key, uint64_t first, float deviation, float low,
                float high, const Picture& to) {
  for (int64_t y = 0; y < to.height; ++y) {
    auto* const row = to.row_as<float>(y);
    std::fill_n(row, to.row_values(), 0.0f);
    for_each_run(mask, to, y, [&](int64_t begin, int64_t end) {
      const auto start = static_cast<uint64_t>(y * to.row_values() + begin);
      fill_normal(key, first + start, std::span(row + begin, static_cast<size_t>(end - begin)), 0,
                  static_cast<double>(deviation));
      for (int64_t i = begin; i < end; ++i) row[i] = std::min(std::max(row[i], low), high);
    });
  }
}

}  // namespace cornu::backend::image
