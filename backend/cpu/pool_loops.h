// The loops of pool.cpp, of which there is a copy for each instruction set.
#pragma once
#include <array>
#include <cstdint>

namespace cornu::backend::cpu {

/// Three spatial axes; those that the operands lack come first and have size 1.
struct PoolSizes {
  int64_t batch, channels;
  bool relu;
  bool overlap;  ///< whether a pixel may lie in two windows
  std::array<int64_t, 3> x, y, window, strides, pad_low;
  int64_t x_pixels() const { return x[0] * x[1] * x[2]; }
  int64_t y_pixels() const { return y[0] * y[1] * y[2]; }
};

/// Operands of a pass, in the type T.
template <class T>
struct PoolData {
  const T* x;
  const T* y;
  const T* dy;
  T* out;
};

/// What one instruction set offers for one type. Forward runs on pixels [begin, end) of all images'
/// outputs; backward on images [begin, end) and channels [first, last).
template <class T>
struct PoolTable {
  void (*forward_max)(const PoolSizes&, const PoolData<T>&, int64_t begin, int64_t end);
  void (*forward_average)(const PoolSizes&, const PoolData<T>&, int64_t begin, int64_t end);
  void (*backward_max)(const PoolSizes&, const PoolData<T>&, int64_t image, int64_t first,
                       int64_t last);
  void (*backward_average)(const PoolSizes&, const PoolData<T>&, int64_t image, int64_t first,
                           int64_t last);
};

/// For float, double, int64_t and uint64_t.
template <class T>
const PoolTable<T>& pool_table();

}  // namespace cornu::backend::cpu
