// Loops over windows whose innermost loop runs over channels. Floats go through a window with a
// vector of channels in registers.
#include "pool_loops.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/pool_loops.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#ifndef CORNU_POOL_WALK
#define CORNU_POOL_WALK
namespace cornu::backend::cpu {
namespace {

// The part of the window at y's pixel that meets x: [begin, end) for each axis.
struct Window {
  std::array<int64_t, 3> begin, end;
  int64_t count() const {
    int64_t n = 1;
    for (size_t axis = 0; axis < 3; ++axis) n *= std::max<int64_t>(end[axis] - begin[axis], 0);
    return n;
  }
};

// Walks over y's pixels, and tells the windows without dividing for each.
// A division takes as long as a small window; counting up takes none.
class Walk {
 public:
  Walk(const PoolSizes& s, int64_t pixel) : s_(s), image_(pixel / s.y_pixels()) {
    pixel %= s.y_pixels();
    at_ = {pixel / s.y[2] / s.y[1], pixel / s.y[2] % s.y[1], pixel % s.y[2]};
    for (size_t axis = 0; axis < 3; ++axis) look(axis);
  }
  const Window& window() const { return window_; }
  int64_t image() const { return image_; }
  // The first pixel of x in the window.
  int64_t first() const {
    return (window_.begin[0] * s_.x[1] + window_.begin[1]) * s_.x[2] + window_.begin[2];
  }
  // How many pixels of this row of y, from here on and at most `limit`, have windows of side x side
  // pixels that lie inside of x.
  int64_t squares(int64_t side, int64_t limit) const {
    if (s_.window != std::array<int64_t, 3>{1, side, side} || window_.count() != side * side)
      return 0;
    const int64_t last = (s_.x[2] - side + s_.pad_low[2]) / s_.strides[2];
    return std::min({limit, last + 1 - at_[2], s_.y[2] - at_[2]});
  }
  void skip(int64_t pixels) {
    at_[2] += pixels - 1;
    next();
  }
  void next() {
    for (size_t axis = 3; axis-- > 0;) {
      const bool carry = ++at_[axis] == s_.y[axis];
      if (carry) at_[axis] = 0;
      look(axis);
      if (!carry) return;
    }
    ++image_;
  }

 private:
  void look(size_t axis) {
    const int64_t start = at_[axis] * s_.strides[axis] - s_.pad_low[axis];
    window_.begin[axis] = std::max<int64_t>(start, 0);
    window_.end[axis] = std::min(start + s_.window[axis], s_.x[axis]);
  }

  const PoolSizes& s_;
  int64_t image_;
  std::array<int64_t, 3> at_;
  Window window_;
};

}  // namespace
}  // namespace cornu::backend::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Loops over the pixels of x in a window, row by row. `Body` is called with the pixel's number.
template <class Body>
HWY_ATTR inline void each_pixel(const PoolSizes& s, const Window& w, const Body& body) {
  for (int64_t i = w.begin[0]; i < w.end[0]; ++i)
    for (int64_t j = w.begin[1]; j < w.end[1]; ++j)
      for (int64_t k = w.begin[2]; k < w.end[2]; ++k) body((i * s.x[1] + j) * s.x[2] + k);
}

// Calls f(d, channel) for [first, last): vectors first, single channels at the end. Integers, which
// nobody pools in earnest, go one by one.
template <class T, class F>
HWY_ATTR inline void each_vector(int64_t first, int64_t last, const F& f) {
  if constexpr (std::is_floating_point_v<T>) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; first + lanes <= last; first += lanes) f(d, first);
  }
  for (; first < last; ++first) f(hn::CappedTag<T, 1>(), first);
}

template <class T, class V>
HWY_ATTR inline auto is_nan(V x) {
  if constexpr (std::is_floating_point_v<T>)
    return hn::IsNaN(x);
  else
    return hn::Ne(x, x);
}

// The larger one; NaN wins and stays.
template <class T, class V>
HWY_ATTR inline V larger(V best, V x) {
  // If best is NaN, no comparison with it holds, so it stays.
  return hn::IfThenElse(hn::Or(hn::Gt(x, best), is_nan<T>(x)), x, best);
}

// Calls f(side, first pixel of x, pixel of y) along the row for the most frequent windows, those of
// 2x2 and 3x3 pixels, with the side as a constant. Returns how many there were.
template <class F>
HWY_ATTR inline int64_t each_square(const PoolSizes& s, Walk& walk, int64_t limit, const F& f) {
  const auto along = [&](auto side) HWY_ATTR {
    const int64_t count = walk.squares(side, limit);
    if (count <= 0) return int64_t{0};
    int64_t from = walk.first();
    for (int64_t i = 0; i < count; ++i, from += s.strides[2]) f(side, from, i);
    walk.skip(count);
    return count;
  };
  const int64_t count = along(std::integral_constant<int64_t, 2>());
  return count > 0 ? count : along(std::integral_constant<int64_t, 3>());
}

template <class T>
HWY_ATTR void forward_max(const PoolSizes& s, const PoolData<T>& data, int64_t begin, int64_t end) {
  constexpr T lowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                            : std::numeric_limits<T>::lowest();
  Walk walk(s, begin);
  const int64_t image_size = s.x_pixels() * s.channels;
  const int64_t below = s.x[2] * s.channels, next = s.channels;
  for (int64_t pixel = begin; pixel < end;) {
    const T* const image = data.x + walk.image() * image_size;
    T* const y = data.out + pixel * s.channels;
    // Whole windows in the middle of an image need no tests of borders.
    const int64_t squares =
        each_square(s, walk, end - pixel, [&](auto side, int64_t from, int64_t i) HWY_ATTR {
          each_vector<T>(0, s.channels, [&](auto d, int64_t c) HWY_ATTR {
            const T* const x = image + from * s.channels + c;
            const auto of_row = [&](const T* row) HWY_ATTR {
              auto best = larger<T>(hn::LoadU(d, row), hn::LoadU(d, row + next));
              if constexpr (side() == 3) best = larger<T>(best, hn::LoadU(d, row + 2 * next));
              return best;
            };
            auto best = larger<T>(of_row(x), of_row(x + below));
            if constexpr (side() == 3) best = larger<T>(best, of_row(x + 2 * below));
            hn::StoreU(best, d, y + i * s.channels + c);
          });
        });
    pixel += squares;
    if (squares > 0) continue;
    const Window w = walk.window();
    each_vector<T>(0, s.channels, [&](auto d, int64_t c) HWY_ATTR {
      auto best = hn::Set(d, lowest);
      each_pixel(s, w, [&](int64_t from) HWY_ATTR {
        best = larger<T>(best, hn::LoadU(d, image + from * s.channels + c));
      });
      hn::StoreU(best, d, y + c);
    });
    ++pixel;
    walk.next();
  }
}

template <class D, class V = hn::Vec<D>>
HWY_ATTR inline V divide(D d, V sum, int64_t count) {
  using T = hn::TFromD<D>;
  if constexpr (std::is_floating_point_v<T>)
    return hn::Div(sum, hn::Set(d, static_cast<T>(count)));
  else
    return hn::Set(d, static_cast<T>(hn::GetLane(sum) / static_cast<T>(count)));
}

template <class T>
HWY_ATTR void forward_average(const PoolSizes& s, const PoolData<T>& data, int64_t begin,
                              int64_t end) {
  Walk walk(s, begin);
  const int64_t image_size = s.x_pixels() * s.channels;
  for (int64_t pixel = begin; pixel < end; ++pixel, walk.next()) {
    const T* const image = data.x + walk.image() * image_size;
    T* const y = data.out + pixel * s.channels;
    const Window w = walk.window();
    const int64_t count = std::max<int64_t>(w.count(), 1);
    each_vector<T>(0, s.channels, [&](auto d, int64_t c) HWY_ATTR {
      auto sum = hn::Zero(d);
      each_pixel(s, w, [&](int64_t from) HWY_ATTR {
        sum = hn::Add(sum, hn::LoadU(d, image + from * s.channels + c));
      });
      hn::StoreU(divide(d, sum, count), d, y + c);
    });
  }
}

// Sets dx to 0 for all pixels, or only for those that lie in no window.
template <class T>
HWY_ATTR void clear(const PoolSizes& s, bool all, T* dx, int64_t first, int64_t last) {
  const auto in_window = [&](size_t axis, int64_t pixel) {
    const int64_t at = pixel + s.pad_low[axis];
    return !all && at / s.strides[axis] < s.y[axis] && at % s.strides[axis] < s.window[axis];
  };
  const auto gap = [&](size_t axis) {
    for (int64_t pixel = 0; pixel < s.x[axis]; ++pixel)
      if (!in_window(axis, pixel)) return true;
    return false;
  };
  const bool gap_in_row = gap(2);
  if (!gap_in_row && !gap(0) && !gap(1)) return;
  for (int64_t i = 0; i < s.x[0]; ++i)
    for (int64_t j = 0; j < s.x[1]; ++j) {
      const bool row = in_window(0, i) && in_window(1, j);
      if (row && !gap_in_row) continue;
      for (int64_t k = 0; k < s.x[2]; ++k) {
        if (row && in_window(2, k)) continue;
        T* const pixel = dx + ((i * s.x[1] + j) * s.x[2] + k) * s.channels;
        std::fill(pixel + first, pixel + last, T(0));
      }
    }
}

template <class T>
HWY_ATTR void backward_max(const PoolSizes& s, const PoolData<T>& data, int64_t image,
                           int64_t first, int64_t last) {
  const T* const x = data.x + image * s.x_pixels() * s.channels;
  T* const dx = data.out + image * s.x_pixels() * s.channels;
  const bool fresh = !s.overlap;  // then nothing is added up, and dx may lie over x
  clear(s, !fresh, dx, first, last);
  Walk walk(s, 0);
  const int64_t pixels = s.y_pixels(), start = image * pixels * s.channels;
  // What is to be given yet goes to the first pixel that is the maximum.
  const auto give = [&](auto d, int64_t at, auto y, auto left) HWY_ATTR {
    const auto value = hn::LoadU(d, x + at);
    // NaN equals nothing, so it is asked for by itself: it was the maximum if there is one.
    const auto chosen = hn::Or(hn::Eq(value, y), is_nan<T>(value));
    auto given = hn::IfThenElseZero(chosen, left);
    if (s.relu) given = hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), given);
    hn::StoreU(fresh ? given : hn::Add(hn::LoadU(d, dx + at), given), d, dx + at);
    // Once given, there is nothing left for later pixels of equal value, as in Keras.
    return hn::IfThenZeroElse(chosen, left);
  };
  const int64_t below = s.x[2] * s.channels, next = s.channels;
  for (int64_t pixel = 0; pixel < pixels;) {
    const int64_t y_at = start + pixel * s.channels;
    const int64_t squares =
        each_square(s, walk, pixels - pixel, [&](auto side, int64_t to, int64_t i) HWY_ATTR {
          each_vector<T>(first, last, [&](auto d, int64_t c) HWY_ATTR {
            const int64_t at = to * s.channels + c, from = y_at + i * s.channels + c;
            const auto y = hn::LoadU(d, data.y + from);
            auto left = hn::LoadU(d, data.dy + from);
            for (int64_t row = 0; row < side(); ++row)
              for (int64_t column = 0; column < side(); ++column)
                left = give(d, at + row * below + column * next, y, left);
          });
        });
    pixel += squares;
    if (squares > 0) continue;
    const Window w = walk.window();
    each_vector<T>(first, last, [&](auto d, int64_t c) HWY_ATTR {
      auto left = hn::LoadU(d, data.dy + y_at + c);
      const auto y = hn::LoadU(d, data.y + y_at + c);
      each_pixel(s, w, [&](int64_t to) HWY_ATTR { left = give(d, to * s.channels + c, y, left); });
    });
    ++pixel;
    walk.next();
  }
}

template <class T>
HWY_ATTR void backward_average(const PoolSizes& s, const PoolData<T>& data, int64_t image,
                               int64_t first, int64_t last) {
  T* const dx = data.out + image * s.x_pixels() * s.channels;
  const bool fresh = !s.overlap;  // then nothing is added up, and dx may lie over x
  clear(s, !fresh, dx, first, last);
  Walk walk(s, 0);
  for (int64_t pixel = 0; pixel < s.y_pixels(); ++pixel, walk.next()) {
    const T* const dy = data.dy + (image * s.y_pixels() + pixel) * s.channels;
    const Window w = walk.window();
    const int64_t count = std::max<int64_t>(w.count(), 1);
    each_vector<T>(first, last, [&](auto d, int64_t c) HWY_ATTR {
      const auto part = divide(d, hn::LoadU(d, dy + c), count);
      each_pixel(s, w, [&](int64_t to) HWY_ATTR {
        T* const at = dx + to * s.channels + c;
        hn::StoreU(fresh ? part : hn::Add(hn::LoadU(d, at), part), d, at);
      });
    });
  }
}

template <class T>
const PoolTable<T>* table_of() {
  static constexpr PoolTable<T> entries = {forward_max<T>, forward_average<T>, backward_max<T>,
                                           backward_average<T>};
  return &entries;
}

const PoolTable<float>* float_table() { return table_of<float>(); }
const PoolTable<double>* double_table() { return table_of<double>(); }
const PoolTable<int64_t>* signed_table() { return table_of<int64_t>(); }
const PoolTable<uint64_t>* unsigned_table() { return table_of<uint64_t>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {

HWY_EXPORT(float_table);
HWY_EXPORT(double_table);
HWY_EXPORT(signed_table);
HWY_EXPORT(unsigned_table);

template <>
const PoolTable<float>& pool_table() {
  return *HWY_DYNAMIC_DISPATCH(float_table)();
}
template <>
const PoolTable<double>& pool_table() {
  return *HWY_DYNAMIC_DISPATCH(double_table)();
}
template <>
const PoolTable<int64_t>& pool_table() {
  return *HWY_DYNAMIC_DISPATCH(signed_table)();
}
template <>
const PoolTable<uint64_t>& pool_table() {
  return *HWY_DYNAMIC_DISPATCH(unsigned_table)();
}

}  // namespace cornu::backend::cpu
#endif
