// argmax and argmin: the extreme of a tile is found with vectors, its position only where it is a
// new one.
#include "arg_reduce.h"

#include <algorithm>
#include <cstring>

#include "interpreter.h"
#include "parallel.h"
#include "reduce_groups.h"

namespace cornu::backend::cpu {
namespace {

template <class T>
struct Best {
  T value;
  int64_t index = -1;  ///< none yet
};

/// Whether a candidate that comes later takes the place of the best so far.
template <class T>
bool wins(T candidate, T best, bool largest) {
  if (best != best) return false;
  if (candidate != candidate) return true;
  return largest ? candidate > best : candidate < best;
}

template <class T>
void consider(Best<T>& best, T value, int64_t index, bool largest) {
  if (best.index < 0 || wins(value, best.value, largest)) best = {value, index};
}

template <class T>
class ArgReduction {
 public:
  ArgReduction(const Reduce& kernel, Operands inputs, const Operand& output)
      : program_(*kernel.program, kernel.compute, kernel.shape, inputs),
        largest_(kernel.op == ReduceOp::argmax),
        output_(output),
        extreme_(tile_kernels(kernel.compute)
                     .rows[static_cast<int>(largest_ ? Combine::maximum : Combine::minimum)]),
        store_(convert_tile(DType::int64, output.dtype)) {
    // One axis, or all: kept, reduced, kept.
    const ReduceGroups groups(kernel.shape, kernel.axes);
    int g = 0;
    if (!groups[g].reduced) outer_ = groups[g++].size;
    length_ = groups[g++].size;
    if (g < groups.count()) inner_ = groups[g].size;
  }

  void run() const {
    if (output_.shape->numel() == 0) return;
    if (program_.numel() == 0) {
      for (int64_t i = 0; i < output_.shape->numel(); ++i) write(i, 0);
      return;
    }
    if (inner_ > 1) return run_columns();
    if (outer_ == 1) return run_parts();
    parallel_for(outer_, program_.work(), [&](int64_t begin, int64_t end) {
      Frame& frame = thread_frame();
      program_.start(frame, tile_size);
      for (int64_t k = begin; k < end; ++k) write(k, row(frame, k * length_, 0, length_).index);
    });
  }

 private:
  void write(int64_t position, int64_t index) const {
    store_(
        &index,
        static_cast<char*>(output_.data) + position * static_cast<int64_t>(size_of(output_.dtype)),
        1);
  }

  Best<T> row(Frame& frame, int64_t flat, int64_t begin, int64_t end) const {
    Best<T> best{};
    for (int64_t i = begin; i < end; i += tile_size) {
      const int64_t n = std::min(tile_size, end - i);
      const T* x = static_cast<const T*>(program_.evaluate(frame, flat + i, n));
      T extreme = x[0];
      extreme_(x, 1, n, &extreme);
      if (best.index >= 0 && !wins(extreme, best.value, largest_)) continue;
      int64_t at = 0;
      while (extreme == extreme ? x[at] != extreme : x[at] == x[at]) ++at;
      best = {extreme, i + at};
    }
    return best;
  }

  void run_parts() const {
    constexpr int64_t max_parts = 256, part_elements = 32 * 1024;
    const int64_t parts = std::max<int64_t>(1, std::min(length_ / part_elements, max_parts));
    Best<T> found[max_parts];
    parallel_for(parts, program_.work(), [&](int64_t begin, int64_t end) {
      Frame& frame = thread_frame();
      program_.start(frame, tile_size);
      for (int64_t part = begin; part < end; ++part)
        found[part] = row(frame, 0, length_ * part / parts, length_ * (part + 1) / parts);
    });
    Best<T> best{};
    for (int64_t part = 0; part < parts; ++part)
      consider(best, found[part].value, found[part].index, largest_);
    write(0, best.index);
  }

  void run_columns() const {
    const int64_t blocks = (inner_ + tile_size - 1) / tile_size;
    parallel_for(outer_ * blocks, program_.work(), [&](int64_t begin, int64_t end) {
      Frame& frame = thread_frame();
      program_.start(frame, tile_size);
      Best<T> best[tile_size];
      for (int64_t item = begin; item < end; ++item) {
        const int64_t k = item / blocks, column = item % blocks * tile_size;
        const int64_t n = std::min(tile_size, inner_ - column);
        for (int64_t r = 0; r < length_; ++r) {
          const T* x = static_cast<const T*>(
              program_.evaluate(frame, (k * length_ + r) * inner_ + column, n));
          if (r == 0) {
            for (int64_t i = 0; i < n; ++i) best[i] = {x[i], 0};
          } else {
            for (int64_t i = 0; i < n; ++i) consider(best[i], x[i], r, largest_);
          }
        }
        for (int64_t i = 0; i < n; ++i) write(k * inner_ + column + i, best[i].index);
      }
    });
  }

  BoundProgram program_;
  bool largest_;
  const Operand& output_;
  RowsTile extreme_;
  ConvertTile store_;
  int64_t outer_ = 1, length_ = 1, inner_ = 1;
};

}  // namespace

void arg_reduce(const Reduce& kernel, Operands inputs, const Operand& output) {
  switch (kernel.compute) {
    case DType::float64:
      return ArgReduction<double>(kernel, inputs, output).run();
    case DType::int32:
      return ArgReduction<int32_t>(kernel, inputs, output).run();
    case DType::int64:
      return ArgReduction<int64_t>(kernel, inputs, output).run();
    case DType::uint64:
      return ArgReduction<uint64_t>(kernel, inputs, output).run();
    default:
      return ArgReduction<float>(kernel, inputs, output).run();
  }
}

}  // namespace cornu::backend::cpu
