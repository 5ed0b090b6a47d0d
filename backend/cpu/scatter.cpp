// Scatter: combines updates into a copy of x. Threads own disjoint parts of the output and each
// goes through the indices in order, so repeated indices give the same bits on any number of
// threads.
#include <cstddef>
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
    return static_cast<T>(a + b);  // integers wrap around: they are unsigned here
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      // NaN wins, as in a maximum over an axis.
      if (a != a) return a;
      if (b != b) return b;
    }
    return (op == ScatterOp::maximum ? a < b : b < a) ? b : a;
  }
}

// What wraps around or only moves needs no signs, so fewer loops are compiled.
template <size_t bytes>
using Bits = std::conditional_t<
    bytes == 1, uint8_t,
    std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;
template <ScatterOp op, class T>
using Element =
    std::conditional_t<op == ScatterOp::set || (op == ScatterOp::add && std::is_integral_v<T> &&
                                                !std::is_same_v<T, bool>),
                       Bits<sizeof(T)>, T>;

// Rows of `inner` elements; of each update the columns [begin, end) go to the row that `rows` names
// for it, or nowhere where that is negative.
struct RowLoop {
  const int64_t* rows;
  int64_t count, inner, begin, end;
};

template <ScatterOp op, class T>
void combine_rows(void* out, const void* updates, const RowLoop& loop) {
  const T* update = static_cast<const T*>(updates);
  for (int64_t i = 0; i < loop.count; ++i, update += loop.inner) {
    if (loop.rows[i] < 0) continue;
    T* target = static_cast<T*>(out) + loop.rows[i] * loop.inner;
    for (int64_t b = loop.begin; b < loop.end; ++b) target[b] = combined<op>(target[b], update[b]);
  }
}

// Columns next to each other, each with a row of its own.
template <ScatterOp op, class T>
void combine_lanes(void* out, const void* updates, const RowLoop& loop) {
  const T* update = static_cast<const T*>(updates);
  for (int64_t i = 0; i < loop.count; ++i) {
    if (loop.rows[i] < 0) continue;
    T& target = static_cast<T*>(out)[loop.rows[i] * loop.inner + i];
    target = combined<op>(target, update[i]);
  }
}

using Loop = void (*)(void* out, const void* updates, const RowLoop& loop);
struct Loops {
  Loop rows, lanes;
};

template <ScatterOp op>
Loops loops_for(DType dtype) {
  return dispatch(dtype, []<class T>() {
    return Loops{&combine_rows<op, Element<op, T>>, &combine_lanes<op, Element<op, T>>};
  });
}

Loops loops_for(ScatterOp op, DType dtype) {
  switch (op) {
    case ScatterOp::add:
      return loops_for<ScatterOp::add>(dtype);
    case ScatterOp::maximum:
      return loops_for<ScatterOp::maximum>(dtype);
    case ScatterOp::minimum:
      return loops_for<ScatterOp::minimum>(dtype);
    case ScatterOp::set:
      break;
  }
  return loops_for<ScatterOp::set>(dtype);
}

// A portion of the output: rows whose group is `part` of `parts`, and the columns [begin, end) of
// each.
struct Portion {
  int64_t part;
  int64_t parts;
  int64_t rows_per_group;
  int64_t begin;
  int64_t end;
};

// The arrays of a call, and how its elements are combined.
class Scattering {
 public:
  Scattering(const Scatter& kernel, Operands inputs, const Operand& output)
      : axes_(*inputs[0].shape, *inputs[1].shape, kernel.axis, kernel.along),
        loops_(loops_for(kernel.op, output.dtype)),
        bytes_(static_cast<int64_t>(size_of(output.dtype))),
        indices_(inputs[1]),
        updates_(static_cast<const std::byte*>(inputs[2].data)),
        out_(static_cast<std::byte*>(output.data)) {}

  bool empty() const { return axes_.outer * axes_.n * axes_.inner == 0 || axes_.count == 0; }

  // Index i is for row i of the updates.
  void slices() const {
    const int64_t work = axes_.outer * axes_.count * axes_.inner;
    const int64_t threads = threads_for(work);
    // Whole outer slices share nothing, so they are the best split where there are enough.
    if (axes_.outer >= threads) {
      parallel_for(axes_.outer, work, [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) rows(o, 0, {0, 1, 1, 0, axes_.inner});
      });
      return;
    }
    // Columns are shared out first, by whole cache lines, because that is even however often an
    // index repeats; then rows, in groups of at least a line.
    // Two threads that write to one cache line would slow each other down.
    const int64_t line = 64 / bytes_;
    const int64_t lines = (axes_.inner + line - 1) / line;
    const int64_t column_parts = std::min(threads, lines);
    const int64_t row_parts = threads / column_parts;
    const int64_t rows_per_group = std::max<int64_t>(1, line / axes_.inner);
    parallel_for(column_parts * row_parts, work, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t column = task % column_parts;
        const Portion portion{task / column_parts, row_parts, rows_per_group,
                              column * lines / column_parts * line,
                              std::min((column + 1) * lines / column_parts * line, axes_.inner)};
        for (int64_t o = 0; o < axes_.outer; ++o) rows(o, 0, portion);
      }
    });
  }

  // Every element of the updates has an index of its own.
  void along() const {
    parallel_for(axes_.outer * axes_.inner, axes_.outer * axes_.count * axes_.inner,
                 [&](int64_t begin, int64_t end) {
                   if (axes_.inner == 1) {
                     for (int64_t o = begin; o < end; ++o)
                       rows(o, o * axes_.count, {0, 1, 1, 0, 1});
                     return;
                   }
                   for_each_lane_run(axes_.inner, begin, end,
                                     [&](int64_t o, int64_t b0, int64_t b1) {
                                       for (int64_t i = 0; i < axes_.count; ++i)
                                         lanes(o, i, b0, b1);
                                     });
                 });
  }

 private:
  // As many indices are looked up at a time.
  static constexpr int64_t block = 256;

  void rows(int64_t o, int64_t first_index, const Portion& portion) const {
    int64_t found[block];
    for (int64_t i = 0; i < axes_.count; i += block) {
      const int64_t count = std::min(block, axes_.count - i);
      look_up(first_index + i, count, found);
      if (portion.parts > 1)
        for (int64_t k = 0; k < count; ++k)
          if (found[k] / portion.rows_per_group % portion.parts != portion.part) found[k] = -1;
      loops_.rows(out_ + o * axes_.n * axes_.inner * bytes_,
                  updates_ + (o * axes_.count + i) * axes_.inner * bytes_,
                  {found, count, axes_.inner, portion.begin, portion.end});
    }
  }

  // The updates of row i in the columns [b0, b1).
  void lanes(int64_t o, int64_t i, int64_t b0, int64_t b1) const {
    int64_t found[block];
    const int64_t row = (o * axes_.count + i) * axes_.inner;
    for (int64_t b = b0; b < b1; b += block) {
      const int64_t count = std::min(block, b1 - b);
      look_up(row + b, count, found);
      loops_.lanes(out_ + (o * axes_.n * axes_.inner + b) * bytes_, updates_ + (row + b) * bytes_,
                   {found, count, axes_.inner, 0, 0});
    }
  }

  // The rows that indices name; -1 for those that name none.
  void look_up(int64_t first, int64_t count, int64_t* found) const {
    if (indices_.dtype == DType::int64)
      look_up(static_cast<const int64_t*>(indices_.data) + first, count, found);
    else
      look_up(static_cast<const int32_t*>(indices_.data) + first, count, found);
  }
  template <class Index>
  void look_up(const Index* indices, int64_t count, int64_t* found) const {
    for (int64_t k = 0; k < count; ++k) {
      const int64_t row = from_end(indices[k], axes_.n);
      found[k] = row < 0 || row >= axes_.n ? -1 : row;
    }
  }

  IndexedAxes axes_;
  Loops loops_;
  int64_t bytes_;
  const Operand& indices_;
  const std::byte* updates_;
  std::byte* out_;
};

void copy_bytes(const Operand& from, const Operand& to) {
  const int64_t bytes = from.shape->numel() * static_cast<int64_t>(size_of(from.dtype));
  parallel_for(bytes, bytes / 4, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(to.data) + begin, static_cast<const char*>(from.data) + begin,
                static_cast<size_t>(end - begin));
  });
}

}  // namespace

void run(const Scatter& kernel, Operands inputs, Operands outputs) {
  const Scattering scattering(kernel, inputs, outputs[0]);
  // A plan may let the updates go into x itself.
  if (inputs[0].data != outputs[0].data) copy_bytes(inputs[0], outputs[0]);
  if (scattering.empty()) return;
  if (kernel.along)
    scattering.along();
  else
    scattering.slices();
}

}  // namespace cornu::backend::cpu
