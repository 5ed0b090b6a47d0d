// Arrays whose channels lie in blocks, for tests of convolutions and pooling.
#pragma once
#include "array.h"

namespace cornu::backend::testing {

/// From (n, spatial..., c) to (n, c / block, spatial..., block); the same array for block 0.
inline Array blocked(const Array& array, int64_t block) {
  if (block == 0) return array;
  const Shape& last = array.shape();
  Shape shape{last[0], last.back() / block};
  int64_t pixels = 1;
  for (int axis = 1; axis + 1 < last.rank(); ++axis) {
    shape.push_back(last[axis]);
    pixels *= last[axis];
  }
  shape.push_back(block);
  Array result(array.dtype(), shape);
  int64_t at = 0;
  for (int64_t n = 0; n < last[0]; ++n)
    for (int64_t b = 0; b < last.back() / block; ++b)
      for (int64_t pixel = 0; pixel < pixels; ++pixel)
        for (int64_t c = 0; c < block; ++c)
          result.set(at++, array[(n * pixels + pixel) * last.back() + b * block + c]);
  return result;
}

}  // namespace cornu::backend::testing
