// Filters over a few padded rows of floats that move down with the result.
#include "../image_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../image_rows.h"

namespace cornu::backend::image {
namespace {

// Padded rows of the source as floats: those from `up` above a row to `down` below it.
class PaddedRows {
 public:
  PaddedRows(const Picture& from, int64_t side, int64_t up, int64_t down, Fill fill)
      : from_(from),
        side_(side),
        count_(up + down + 1),
        fill_(fill),
        length_((from.width + 2 * side) * from.channels),
        rows_(static_cast<size_t>(count_ * length_)),
        numbers_(static_cast<size_t>(count_), INT64_MIN) {}

  int64_t length() const { return length_; }

  // Row y, which may be outside; where its column 0 is.
  const float* row(int64_t y) {
    const auto slot = static_cast<size_t>((y % count_ + count_) % count_);
    const int64_t c = from_.channels;
    float* const start = rows_.data() + static_cast<int64_t>(slot) * length_;
    float* const middle = start + side_ * c;
    if (numbers_[slot] == y) return middle;
    numbers_[slot] = y;
    if (fill_ == Fill::constant && (y < 0 || y >= from_.height)) {
      std::fill_n(start, length_, 0.0f);
      return middle;
    }
    read_row(from_, folded(y, from_.height, fill_), 0, from_.width, middle);
    for (int64_t x = 1; x <= side_; ++x) {
      pad(middle, -x);
      pad(middle, from_.width - 1 + x);
    }
    return middle;
  }

 private:
  void pad(float* middle, int64_t x) const {
    const int64_t c = from_.channels;
    if (fill_ == Fill::constant)
      std::fill_n(middle + x * c, c, 0.0f);
    else
      std::copy_n(middle + folded(x, from_.width, fill_) * c, c, middle + x * c);
  }

  const Picture& from_;
  int64_t side_, count_;
  Fill fill_;
  int64_t length_;
  std::vector<float> rows_;
  std::vector<int64_t> numbers_;
};

}  // namespace

void filter(const Picture& from, const Picture& to, std::span<const Tap> taps, Fill fill) {
  int64_t side = 0, up = 0, down = 0;
  std::vector<float> weights;
  for (const Tap& tap : taps) {
    side = std::max(side, std::abs(tap.right));
    up = std::max(up, -tap.down);
    down = std::max(down, tap.down);
    weights.push_back(tap.weight);
  }
  PaddedRows rows(from, side, up, down, fill);
  std::vector<const float*> terms(taps.size());
  for (int64_t y = 0; y < from.height; ++y) {
    for (size_t i = 0; i < taps.size(); ++i)
      terms[i] = rows.row(y + taps[i].down) + taps[i].right * from.channels;
    weigh_rows(terms, weights.data(), to, y);
  }
}

void filter_separable(const Picture& from, const Picture& to, std::span<const float> across,
                      std::span<const float> down, Fill fill) {
  const auto side = static_cast<int64_t>(across.size() / 2),
             half = static_cast<int64_t>(down.size() / 2);
  PaddedRows rows(from, side, half, half, fill);
  std::vector<float> sums(static_cast<size_t>(rows.length()));
  std::vector<const float*> lines(down.size()), terms(across.size());
  for (size_t i = 0; i < across.size(); ++i)
    terms[i] = sums.data() + static_cast<int64_t>(i) * from.channels;
  for (int64_t y = 0; y < from.height; ++y) {
    for (size_t i = 0; i < down.size(); ++i)
      lines[i] = rows.row(y + static_cast<int64_t>(i) - half) - side * from.channels;
    weigh_rows(lines, down.data(), rows.length(), sums.data());
    weigh_rows(terms, across.data(), to, y);
  }
}

std::vector<float> bell(int64_t size, double deviation) {
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    const double d = (static_cast<double>(i) - static_cast<double>(size - 1) / 2) / deviation;
    sum += weights.emplace_back(std::exp(-0.5 * d * d));
  }
  std::vector<float> shares;
  for (const double w : weights) shares.push_back(static_cast<float>(w / sum));
  return shares;
}

void blend(const Picture& a, float weight_a, const Picture& b, float weight_b, const Picture& to) {
  std::vector<float> rows(static_cast<size_t>(2 * a.row_values()));
  const float weights[] = {weight_a, weight_b};
  float* const second = rows.data() + a.row_values();
  const float* const terms[] = {rows.data(), second};
  for (int64_t y = 0; y < a.height; ++y) {
    read_row(a, y, 0, a.width, rows.data());
    read_row(b, y, 0, b.width, second);
    weigh_rows(terms, weights, to, y);
  }
}

}  // namespace cornu::backend::image
