// Channel blocks: (n, channels / block, spatial..., block) as Conv and Pool may have their data.
#pragma once
#include <algorithm>
#include <cstdint>

#include "../shape.h"
#include "parallel.h"

namespace cornu::backend::cpu {

/// The shape with channels last, (n, spatial..., c), of one with blocks; `block` 0 has it already.
inline Shape channels_last_shape(const Shape& shape, int64_t block) {
  if (block == 0) return shape;
  Shape last{shape[0]};
  for (int axis = 2; axis + 1 < shape.rank(); ++axis) last.push_back(shape[axis]);
  last.push_back(shape[1] * shape.back());
  return last;
}

struct BlockSizes {
  int64_t batch = 0, channels = 0, pixels = 0, block = 0;
  int64_t count() const { return batch * channels * pixels; }
};

/// Moves each run of one block's channels, calling f(position with blocks, position with channels
/// last).
template <class F>
void each_block_run(const BlockSizes& s, F&& f) {
  const int64_t blocks = s.channels / std::max<int64_t>(s.block, 1);
  parallel_for(s.batch * blocks, s.count(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / blocks, b = i % blocks;
      for (int64_t pixel = 0; pixel < s.pixels; ++pixel)
        f((i * s.pixels + pixel) * s.block, (n * s.pixels + pixel) * s.channels + b * s.block);
    }
  });
}

/// From blocks to channels last.
template <class T>
void unblock(const BlockSizes& s, const T* from, T* to) {
  each_block_run(
      s, [&](int64_t blocked, int64_t last) { std::copy_n(from + blocked, s.block, to + last); });
}

/// From channels last to blocks.
template <class T>
void make_blocks(const BlockSizes& s, const T* from, T* to) {
  each_block_run(
      s, [&](int64_t blocked, int64_t last) { std::copy_n(from + last, s.block, to + blocked); });
}

}  // namespace cornu::backend::cpu
