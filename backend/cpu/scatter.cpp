// Scatter: combines updates into a copy of x. Threads own disjoint parts of the output and each
// goes through the indices in order, so repeated indices give the same bits on any number of
// threads.
#include <cstring>
#include <type_traits>

#include "indexing.h"
#include "kernels.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

template <ScatterOp op, class T>
T combined(T a, T b) {
  if constexpr (op == ScatterOp::set) {
    return b;
  } else if constexpr (std::is_same_v<T, Half>) {
    return {float_to_half(combined<op>(half_to_float(a.bits), half_to_float(b.bits)))};
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return {float_to_bfloat16(combined<op>(bfloat16_to_float(a.bits), bfloat16_to_float(b.bits)))};
  } else if constexpr (std::is_same_v<T, bool>) {
    return op == ScatterOp::minimum ? (a && b) : (a || b);
  } else if constexpr (op == ScatterOp::add) {
    if constexpr (std::is_integral_v<T>)  // wraps around, which signed types may not
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
      return a + b;
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      // NaN wins, as in a maximum over an axis.
      if (a != a) return a;
      if (b != b) return b;
    }
    return (op == ScatterOp::maximum ? a < b : b < a) ? b : a;
  }
}

// A share of the output: rows whose group is `part` of `parts`, and the columns [begin, end) of
// each.
struct Share {
  int64_t part;
  int64_t parts;
  int64_t rows_per_group;
  int64_t begin;
  int64_t end;
};

template <ScatterOp op, class T, class Index>
void scatter_rows(T* out, const Index* indices, const T* updates, const IndexedAxes& axes,
                  int64_t o, const Share& share) {
  T* base = out + o * axes.n * axes.inner;
  const T* update = updates + o * axes.count * axes.inner;
  for (int64_t i = 0; i < axes.count; ++i, update += axes.inner) {
    const int64_t row = from_end(indices[i], axes.n);
    if (row < 0 || row >= axes.n) continue;
    if (share.parts > 1 && row / share.rows_per_group % share.parts != share.part) continue;
    T* target = base + row * axes.inner;
    for (int64_t b = share.begin; b < share.end; ++b)
      target[b] = combined<op>(target[b], update[b]);
  }
}

template <ScatterOp op, class T, class Index>
void scatter_slices(T* out, const Index* indices, const T* updates, const IndexedAxes& axes) {
  const int64_t work = axes.outer * axes.count * axes.inner;
  const int64_t threads = threads_for(work);
  // Whole outer slices share nothing, so they are the best split where there are enough.
  if (axes.outer >= threads) {
    parallel_for(axes.outer, work, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o)
        scatter_rows<op>(out, indices, updates, axes, o, {0, 1, 1, 0, axes.inner});
    });
    return;
  }
  // Columns are shared out first, by whole cache lines, because that is even however often an index
  // repeats; then rows, in groups of at least a line.
  // Two threads that write to one cache line would slow each other down.
  constexpr int64_t line = 64 / sizeof(T);
  const int64_t lines = (axes.inner + line - 1) / line;
  const int64_t column_parts = std::min(threads, lines);
  const int64_t row_parts = threads / column_parts;
  const int64_t rows_per_group = std::max<int64_t>(1, line / axes.inner);
  parallel_for(column_parts * row_parts, work, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t column = task % column_parts;
      const Share share{task / column_parts, row_parts, rows_per_group,
                        column * lines / column_parts * line,
                        std::min((column + 1) * lines / column_parts * line, axes.inner)};
      for (int64_t o = 0; o < axes.outer; ++o)
        scatter_rows<op>(out, indices, updates, axes, o, share);
    }
  });
}

template <ScatterOp op, class T, class Index>
void scatter_along(T* out, const Index* indices, const T* updates, const IndexedAxes& axes) {
  parallel_for(axes.outer * axes.inner, axes.outer * axes.count * axes.inner,
               [&](int64_t begin, int64_t end) {
                 for_each_lane_run(axes.inner, begin, end, [&](int64_t o, int64_t b0, int64_t b1) {
                   T* base = out + o * axes.n * axes.inner;
                   for (int64_t i = 0; i < axes.count; ++i) {
                     const int64_t from = (o * axes.count + i) * axes.inner;
                     for (int64_t b = b0; b < b1; ++b) {
                       const int64_t row = from_end(indices[from + b], axes.n);
                       if (row < 0 || row >= axes.n) continue;
                       T& target = base[row * axes.inner + b];
                       target = combined<op>(target, updates[from + b]);
                     }
                   }
                 });
               });
}

template <ScatterOp op, class Index>
void scatter(const Scatter& kernel, const Index* indices, const Operand& updates,
             const IndexedAxes& axes, const Operand& output) {
  dispatch(output.dtype, [&]<class T>() {
    T* out = static_cast<T*>(output.data);
    const T* from = static_cast<const T*>(updates.data);
    if (kernel.along)
      scatter_along<op>(out, indices, from, axes);
    else
      scatter_slices<op>(out, indices, from, axes);
  });
}

template <class Index>
void scatter(const Scatter& kernel, const Operand& indices, const Operand& updates,
             const IndexedAxes& axes, const Operand& output) {
  const Index* picked = static_cast<const Index*>(indices.data);
  switch (kernel.op) {
    case ScatterOp::add:
      return scatter<ScatterOp::add>(kernel, picked, updates, axes, output);
    case ScatterOp::maximum:
      return scatter<ScatterOp::maximum>(kernel, picked, updates, axes, output);
    case ScatterOp::minimum:
      return scatter<ScatterOp::minimum>(kernel, picked, updates, axes, output);
    case ScatterOp::set:
      return scatter<ScatterOp::set>(kernel, picked, updates, axes, output);
  }
}

void copy_bytes(const Operand& from, const Operand& to) {
  const int64_t bytes = from.shape->numel() * static_cast<int64_t>(size_of(from.dtype));
  parallel_for(bytes, bytes / 4, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(to.data) + begin, static_cast<const char*>(from.data) + begin,
                static_cast<size_t>(end - begin));
  });
}

}  // namespace

void run(const Scatter& kernel, Operands inputs, Operands outputs) {
  const Operand& indices = inputs[1];
  const IndexedAxes axes(*inputs[0].shape, *indices.shape, kernel.axis, kernel.along);
  copy_bytes(inputs[0], outputs[0]);
  if (axes.outer * axes.n * axes.inner == 0 || axes.count == 0) return;
  if (indices.dtype == DType::int64)
    scatter<int64_t>(kernel, indices, inputs[2], axes, outputs[0]);
  else
    scatter<int32_t>(kernel, indices, inputs[2], axes, outputs[0]);
}

}  // namespace cornu::backend::cpu
