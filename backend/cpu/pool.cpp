// Pooling: loops over windows whose innermost loop runs over channels, compiled per instruction
// set.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>

#include "allocator.h"
#include "convert.h"
#include "kernels.h"
#include "parallel.h"
#include "targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cornu/backend/cpu/pool.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#ifndef CORNU_POOL_SIZES
#define CORNU_POOL_SIZES
namespace cornu::backend::cpu {
namespace {

// Three spatial axes; those that the operands lack come first and have size 1.
struct PoolSizes {
  int64_t batch, channels;
  std::array<int64_t, 3> x, y, window, strides, pad_low;
  int64_t x_pixels() const { return x[0] * x[1] * x[2]; }
  int64_t y_pixels() const { return y[0] * y[1] * y[2]; }
};

// The part of the window at y's pixel that meets x: [begin, end) for each axis.
struct Window {
  std::array<int64_t, 3> begin, end;
  int64_t count() const {
    int64_t n = 1;
    for (size_t axis = 0; axis < 3; ++axis) n *= std::max<int64_t>(end[axis] - begin[axis], 0);
    return n;
  }
};

inline Window window_at(const PoolSizes& s, int64_t pixel) {
  const std::array<int64_t, 3> at = {pixel / s.y[2] / s.y[1], pixel / s.y[2] % s.y[1],
                                     pixel % s.y[2]};
  Window w;
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t start = at[axis] * s.strides[axis] - s.pad_low[axis];
    w.begin[axis] = std::max<int64_t>(start, 0);
    w.end[axis] = std::min(start + s.window[axis], s.x[axis]);
  }
  return w;
}

// Operands of a pass, in the type T.
template <class T>
struct PoolData {
  const T* x;
  const T* y;
  const T* dy;
  T* out;
};

// What one instruction set offers for one type. Forward runs on pixels [begin, end) of all images'
// outputs; backward on images [begin, end) and channels [first, last).
template <class T>
struct PoolTable {
  void (*forward_max)(const PoolSizes&, const PoolData<T>&, int64_t begin, int64_t end);
  void (*forward_average)(const PoolSizes&, const PoolData<T>&, int64_t begin, int64_t end);
  void (*backward_max)(const PoolSizes&, const PoolData<T>&, int64_t image, int64_t first,
                       int64_t last);
  void (*backward_average)(const PoolSizes&, const PoolData<T>&, int64_t image, int64_t first,
                           int64_t last);
};

}  // namespace
}  // namespace cornu::backend::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace {

// Loops over the pixels of x in a window, row by row. `Body` is called with the pixel's number.
template <class Body>
HWY_ATTR inline void each_pixel(const PoolSizes& s, const Window& w, const Body& body) {
  for (int64_t i = w.begin[0]; i < w.end[0]; ++i)
    for (int64_t j = w.begin[1]; j < w.end[1]; ++j)
      for (int64_t k = w.begin[2]; k < w.end[2]; ++k) body((i * s.x[1] + j) * s.x[2] + k);
}

// The inner loops stand in functions of their own: no captured variable hides from the compiler
// that they can be vectors. x != x asks for NaN, which wins and stays.
template <class T>
HWY_ATTR void take_larger(const T* HWY_RESTRICT x, T* HWY_RESTRICT y, int64_t count) {
  for (int64_t c = 0; c < count; ++c) y[c] = ((x[c] > y[c]) | (x[c] != x[c])) ? x[c] : y[c];
}

template <class T>
HWY_ATTR void add(const T* HWY_RESTRICT x, T* HWY_RESTRICT y, int64_t count) {
  for (int64_t c = 0; c < count; ++c) y[c] += x[c];
}

// Adds the gradient where x is the maximum and no earlier pixel was; `left` holds what is to be
// given yet.
template <class T>
HWY_ATTR void give(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, T* HWY_RESTRICT left,
                   T* HWY_RESTRICT dx, int64_t count) {
  for (int64_t c = 0; c < count; ++c) {
    const bool chosen = (x[c] == y[c]) | (x[c] != x[c]);
    dx[c] += chosen ? left[c] : T(0);
    left[c] = chosen ? T(0) : left[c];
  }
}

template <class T>
HWY_ATTR void forward_max(const PoolSizes& s, const PoolData<T>& data, int64_t begin, int64_t end) {
  constexpr T lowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                            : std::numeric_limits<T>::lowest();
  for (int64_t pixel = begin; pixel < end; ++pixel) {
    const T* const image = data.x + pixel / s.y_pixels() * s.x_pixels() * s.channels;
    T* const y = data.out + pixel * s.channels;
    std::fill_n(y, s.channels, lowest);
    each_pixel(s, window_at(s, pixel % s.y_pixels()), [&](int64_t from) HWY_ATTR {
      take_larger(image + from * s.channels, y, s.channels);
    });
  }
}

template <class T>
HWY_ATTR void forward_average(const PoolSizes& s, const PoolData<T>& data, int64_t begin,
                              int64_t end) {
  for (int64_t pixel = begin; pixel < end; ++pixel) {
    const T* const image = data.x + pixel / s.y_pixels() * s.x_pixels() * s.channels;
    T* const y = data.out + pixel * s.channels;
    std::fill_n(y, s.channels, T(0));
    const Window w = window_at(s, pixel % s.y_pixels());
    each_pixel(s, w, [&](int64_t from) HWY_ATTR { add(image + from * s.channels, y, s.channels); });
    const T count = static_cast<T>(std::max<int64_t>(w.count(), 1));
    for (int64_t c = 0; c < s.channels; ++c) y[c] /= count;
  }
}

constexpr int64_t channel_block = 256;  // of a backward pass; its gradients stay in the first cache

template <class T>
HWY_ATTR void clear(const PoolSizes& s, T* dx, int64_t first, int64_t count) {
  for (int64_t pixel = 0; pixel < s.x_pixels(); ++pixel)
    std::fill_n(dx + pixel * s.channels + first, count, T(0));
}

template <class T>
HWY_ATTR void backward_max(const PoolSizes& s, const PoolData<T>& data, int64_t image,
                           int64_t first, int64_t last) {
  const T* const x = data.x + image * s.x_pixels() * s.channels;
  T* const dx = data.out + image * s.x_pixels() * s.channels;
  T left[channel_block];
  for (; first < last; first += channel_block) {
    const int64_t count = std::min(channel_block, last - first);
    clear(s, dx, first, count);
    for (int64_t pixel = 0; pixel < s.y_pixels(); ++pixel) {
      const int64_t y_at = (image * s.y_pixels() + pixel) * s.channels + first;
      std::copy_n(data.dy + y_at, count, left);
      each_pixel(s, window_at(s, pixel), [&](int64_t to) HWY_ATTR {
        const int64_t x_at = to * s.channels + first;
        give(x + x_at, data.y + y_at, left, dx + x_at, count);
      });
    }
  }
}

template <class T>
HWY_ATTR void backward_average(const PoolSizes& s, const PoolData<T>& data, int64_t image,
                               int64_t first, int64_t last) {
  T* const dx = data.out + image * s.x_pixels() * s.channels;
  T share[channel_block];
  for (; first < last; first += channel_block) {
    const int64_t count = std::min(channel_block, last - first);
    clear(s, dx, first, count);
    for (int64_t pixel = 0; pixel < s.y_pixels(); ++pixel) {
      const Window w = window_at(s, pixel);
      const T* const dy = data.dy + (image * s.y_pixels() + pixel) * s.channels + first;
      const T divisor = static_cast<T>(std::max<int64_t>(w.count(), 1));
      for (int64_t c = 0; c < count; ++c) share[c] = dy[c] / divisor;
      each_pixel(s, w,
                 [&](int64_t to) HWY_ATTR { add(share, dx + to * s.channels + first, count); });
    }
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
namespace {

HWY_EXPORT(float_table);
HWY_EXPORT(double_table);
HWY_EXPORT(signed_table);
HWY_EXPORT(unsigned_table);

template <class T>
const PoolTable<T>& chosen_table() {
  if constexpr (std::is_same_v<T, float>) return *HWY_DYNAMIC_DISPATCH(float_table)();
  if constexpr (std::is_same_v<T, double>) return *HWY_DYNAMIC_DISPATCH(double_table)();
  if constexpr (std::is_same_v<T, int64_t>) return *HWY_DYNAMIC_DISPATCH(signed_table)();
  if constexpr (std::is_same_v<T, uint64_t>) return *HWY_DYNAMIC_DISPATCH(unsigned_table)();
}

PoolSizes pool_sizes(const Pool& kernel, const Shape& x, const Shape& y) {
  PoolSizes s{};
  s.batch = x[0];
  s.channels = x.back();
  const int spatial = x.rank() - 2;
  for (int axis = 0; axis < 3; ++axis) {
    const int own = axis - 3 + spatial;
    const size_t at = static_cast<size_t>(axis), i = static_cast<size_t>(own);
    const bool used = own >= 0;
    s.x[at] = used ? x[own + 1] : 1;
    s.y[at] = used ? y[own + 1] : 1;
    s.window[at] = used ? kernel.window[i] : 1;
    s.strides[at] = used && i < kernel.strides.size() ? kernel.strides[i] : 1;
    s.pad_low[at] = used && i < kernel.pad_low.size() ? kernel.pad_low[i] : 0;
  }
  return s;
}

template <class T>
void run_as(const Pool& kernel, const PoolSizes& s, const PoolData<T>& data) {
  const PoolTable<T>& table = chosen_table<T>();
  const int64_t work =
      s.batch * s.y_pixels() * s.channels * s.window[0] * s.window[1] * s.window[2];
  if (!kernel.backward) {
    const auto function = kernel.maximum ? table.forward_max : table.forward_average;
    parallel_for(s.batch * s.y_pixels(), work,
                 [&](int64_t begin, int64_t end) { function(s, data, begin, end); });
    return;
  }
  // Windows overlap, so threads share out images and, when those are few, channels.
  const auto function = kernel.maximum ? table.backward_max : table.backward_average;
  const int64_t slice = s.batch >= threads() ? std::max<int64_t>(s.channels, 1) : 32;
  const int64_t slices = (s.channels + slice - 1) / slice;
  parallel_for(s.batch * slices, work, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % slices * slice;
      function(s, data, i / slices, first, std::min(first + slice, s.channels));
    }
  });
}

// The type in which a pool computes: floats as in a product, integers in 64 bits with their sign.
DType pool_type(DType x, DType out) {
  const DType type = compute_type(x, x, out);
  return is_float(type) ? type : DType::uint64;
}

}  // namespace

void run(const Pool& kernel, Operands inputs, Operands outputs) {
  const Operand &x = inputs[0], &out = outputs[0];
  if (out.shape->numel() == 0) return;
  const PoolSizes sizes =
      pool_sizes(kernel, *x.shape, kernel.backward ? *inputs[1].shape : *out.shape);
  const DType type = pool_type(x.dtype, out.dtype);
  const void* data[3] = {};
  std::optional<Scratch> copies[3], result;
  for (size_t i = 0; i < (kernel.backward ? 3u : 1u); ++i) {
    data[i] = inputs[i].data;
    if (inputs[i].dtype == type) continue;
    const int64_t count = inputs[i].shape->numel();
    copies[i].emplace(std::max<size_t>(static_cast<size_t>(count) * size_of(type), 1));
    convert(inputs[i].data, inputs[i].dtype, copies[i]->data(), type, count);
    data[i] = copies[i]->data();
  }
  const int64_t count = out.shape->numel();
  if (out.dtype != type) result.emplace(static_cast<size_t>(count) * size_of(type));
  void* const to = result ? result->data() : out.data;
  const auto go = [&]<class T>() {
    run_as<T>(kernel, sizes,
              {static_cast<const T*>(data[0]), static_cast<const T*>(data[1]),
               static_cast<const T*>(data[2]), static_cast<T*>(to)});
  };
  switch (type) {
    case DType::float32:
      go.operator()<float>();
      break;
    case DType::float64:
      go.operator()<double>();
      break;
    default:
      if (is_signed_int(x.dtype))
        go.operator()<int64_t>();
      else
        go.operator()<uint64_t>();
  }
  if (!result) return;
  // Signed results lie in the unsigned buffer.
  const DType stored = type == DType::uint64 && is_signed_int(x.dtype) ? DType::int64 : type;
  convert(result->data(), stored, out.data, out.dtype, count);
}

}  // namespace cornu::backend::cpu
#endif  // HWY_ONCE
