// Copies boxes of elements. Each box is reduced to as few axes as possible; what then remains is
// runs of bytes, 2-D transposes in register-sized blocks, or strided loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "parallel.h"
#include "prepare.h"

namespace cornu::backend::cpu {
namespace {

struct Axis {
  int64_t size;
  int64_t from;  // strides in bytes
  int64_t to;
};

struct Box {
  std::array<Axis, Shape::max_rank> axes;
  int rank = 0;
  int64_t element = 1;                     // bytes that move together
  int64_t from_offset = 0, to_offset = 0;  // of the first element, in bytes
  const char* from = nullptr;              // the first element
  char* to = nullptr;
};

// 16 bytes, for elements or short runs of that size.
struct Wide {
  uint64_t halves[2];
};

template <class T>
void move(char* to, const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  std::memcpy(to, &value, sizeof(T));
}

// Calls f.template operator()<T>() with a type of `bytes` bytes: 1, 2, 4, 8 or 16.
template <class F>
void dispatch_size(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    case 8:
      return f.template operator()<uint64_t>();
    default:
      return f.template operator()<Wide>();
  }
}

// Axes of size 1 dropped, the others ordered by the output's strides and merged where both sides
// allow. False when there is nothing to copy.
bool make_box(const Copy::Part& part, int64_t element, Box& box) {
  for (int64_t size : part.sizes)
    if (size == 0) return false;
  box.element = element;
  box.from_offset = part.from.offset * element;
  box.to_offset = part.to.offset * element;
  for (int i = 0; i < part.sizes.rank(); ++i) {
    Axis axis{part.sizes[i], part.from.strides[i] * element, part.to.strides[i] * element};
    if (axis.size == 1) continue;
    // Written forwards: the output's strides then order the axes, and runs of bytes are found.
    if (axis.to < 0) {
      box.from_offset += (axis.size - 1) * axis.from;
      box.to_offset += (axis.size - 1) * axis.to;
      axis.from = -axis.from;
      axis.to = -axis.to;
    }
    int place = box.rank++;
    // Insertion sort, of ten axes at most. Writes in order are what memory likes best.
    for (; place > 0 && box.axes[place - 1].to < axis.to; --place)
      box.axes[place] = box.axes[place - 1];
    box.axes[place] = axis;
  }
  int last = 0;
  for (int i = 1; i < box.rank; ++i) {
    Axis& outer = box.axes[last];
    const Axis& inner = box.axes[i];
    if (outer.to == inner.to * inner.size && outer.from == inner.from * inner.size)
      outer = {outer.size * inner.size, inner.from, inner.to};
    else
      box.axes[++last] = inner;
  }
  if (box.rank > 0) box.rank = last + 1;
  // A short run of elements is one larger element.
  if (box.rank > 1) {
    const Axis& inner = box.axes[box.rank - 1];
    const int64_t run = inner.size * element;
    // Moves of 1, 2, 4, 8 or 16 bytes are single instructions.
    if (inner.from == element && inner.to == element && run <= 16 && (run & (run - 1)) == 0) {
      box.element = run;
      --box.rank;
    }
  }
  return true;
}

void place(Box& box, const void* from, void* to) {
  box.from = static_cast<const char*>(from) + box.from_offset;
  box.to = static_cast<char*>(to) + box.to_offset;
}

// Calls f(from, to) for each element of the box of these axes.
template <class F>
void walk(const Axis* axes, int rank, const char* from, char* to, const F& f) {
  if (rank == 0) return f(from, to);
  const Axis axis = axes[0];
  if (rank == 1) {
    for (int64_t i = 0; i < axis.size; ++i) f(from + i * axis.from, to + i * axis.to);
    return;
  }
  for (int64_t i = 0; i < axis.size; ++i)
    walk(axes + 1, rank - 1, from + i * axis.from, to + i * axis.to, f);
}

template <class T>
void strided_row(const char* from, char* to, const Axis& axis) {
  constexpr int64_t size = sizeof(T);
  // The frequent strides have loops of their own, which the compiler vectorizes.
  if (axis.to == size && axis.from == 0) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    for (int64_t i = 0; i < axis.size; ++i) std::memcpy(to + i * size, &value, sizeof(T));
  } else if (axis.to == size && axis.from == 2 * size) {
    for (int64_t i = 0; i < axis.size; ++i) move<T>(to + i * size, from + 2 * i * size);
  } else if (axis.to == size && axis.from == -size) {
    for (int64_t i = 0; i < axis.size; ++i) move<T>(to + i * size, from - i * size);
  } else {
    for (int64_t i = 0; i < axis.size; ++i) move<T>(to + i * axis.to, from + i * axis.from);
  }
}

// 16-byte vectors; a block of `lanes` of them is transposed in registers.
template <class T>
struct Block {
  static constexpr int lanes = 16 / sizeof(T);
  typedef T Vector __attribute__((vector_size(16)));

  template <bool high, size_t... i>
  static Vector zip(Vector a, Vector b, std::index_sequence<i...>) {
    return __builtin_shufflevector(
        a, b, (static_cast<int>(i / 2) + (high ? lanes / 2 : 0) + (i % 2 ? lanes : 0))...);
  }

  // Interleaving row i with row i + lanes/2, log2(lanes) times over, transposes the block.
  static void transpose(const char* from, int64_t from_stride, char* to, int64_t to_stride) {
    constexpr auto all = std::make_index_sequence<lanes>();
    Vector rows[lanes], mixed[lanes];
    for (int i = 0; i < lanes; ++i) std::memcpy(&rows[i], from + i * from_stride, 16);
    for (int round = 1; round < lanes; round *= 2) {
      for (int i = 0; i < lanes / 2; ++i) {
        mixed[2 * i] = zip<false>(rows[i], rows[i + lanes / 2], all);
        mixed[2 * i + 1] = zip<true>(rows[i], rows[i + lanes / 2], all);
      }
      for (int i = 0; i < lanes; ++i) rows[i] = mixed[i];
    }
    for (int i = 0; i < lanes; ++i) std::memcpy(to + i * to_stride, &rows[i], 16);
  }
};

// `rows` is contiguous in the source and strided in the output, `columns` the other way round.
template <class T>
void transpose(const char* from, char* to, const Axis& rows, const Axis& columns) {
  constexpr int64_t size = sizeof(T);
  constexpr int64_t tile = size < 16 ? 64 / size : 8;  // whole cache lines on both sides
  const auto scalar = [&](int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    for (int64_t i = i0; i < i1; ++i)
      for (int64_t j = j0; j < j1; ++j)
        move<T>(to + i * rows.to + j * size, from + i * size + j * columns.from);
  };
  for (int64_t i0 = 0; i0 < rows.size; i0 += tile) {
    const int64_t i1 = std::min(i0 + tile, rows.size);
    for (int64_t j0 = 0; j0 < columns.size; j0 += tile) {
      const int64_t j1 = std::min(j0 + tile, columns.size);
      if constexpr (size < 16) {
        constexpr int64_t lanes = Block<T>::lanes;
        const int64_t i_end = i0 + (i1 - i0) / lanes * lanes;
        const int64_t j_end = j0 + (j1 - j0) / lanes * lanes;
        for (int64_t i = i0; i < i_end; i += lanes)
          for (int64_t j = j0; j < j_end; j += lanes)
            Block<T>::transpose(from + i * size + j * columns.from, columns.from,
                                to + i * rows.to + j * size, rows.to);
        scalar(i0, i_end, j_end, j1);
        scalar(i_end, i1, j0, j1);
      } else {
        scalar(i0, i1, j0, j1);
      }
    }
  }
}

template <class T>
void copy_strided(const Box& box) {
  constexpr int64_t size = sizeof(T);
  if (box.rank == 0) return move<T>(box.to, box.from);
  const Axis inner = box.axes[box.rank - 1];
  if (inner.to == size) {
    for (int i = 0; i + 1 < box.rank; ++i) {
      if (box.axes[i].from != size) continue;
      std::array<Axis, Shape::max_rank> outer;
      int rank = 0;
      for (int j = 0; j + 1 < box.rank; ++j)
        if (j != i) outer[rank++] = box.axes[j];
      const Axis rows = box.axes[i];
      return walk(outer.data(), rank, box.from, box.to,
                  [&](const char* from, char* to) { transpose<T>(from, to, rows, inner); });
    }
  }
  walk(box.axes.data(), box.rank - 1, box.from, box.to,
       [&](const char* from, char* to) { strided_row<T>(from, to, inner); });
}

void copy_serial(const Box& box) {
  if (box.rank > 0) {
    const Axis inner = box.axes[box.rank - 1];
    if (inner.from == box.element && inner.to == box.element) {
      const size_t run = static_cast<size_t>(inner.size * box.element);
      return walk(box.axes.data(), box.rank - 1, box.from, box.to,
                  [run](const char* from, char* to) { std::memcpy(to, from, run); });
    }
  }
  dispatch_size(box.element, [&]<class T>() { copy_strided<T>(box); });
}

void copy_box(const Box& box, int64_t elements) {
  // Each element is copied by itself, so the split cannot change a result.
  const int threads = threads_for(elements);
  if (threads <= 1 || box.rank == 0) return copy_serial(box);
  // The outermost axis that gives every thread an even share, else the longest.
  int split = 0;
  for (int i = 0; i < box.rank; ++i) {
    if (box.axes[i].size > box.axes[split].size) split = i;
    if (box.axes[i].size >= 8 * threads) {
      split = i;
      break;
    }
  }
  const Axis axis = box.axes[split];
  parallel_for(axis.size, elements, [&](int64_t begin, int64_t end) {
    Box mine = box;
    mine.axes[split].size = end - begin;
    mine.from += begin * axis.from;
    mine.to += begin * axis.to;
    copy_serial(mine);
  });
}

// `value` as the nearest value of T: integers truncate and saturate.
template <class T>
T converted(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<T, Half>) {
    return {float_to_half(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return {float_to_bfloat16(static_cast<float>(value))};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    using Limits = std::numeric_limits<T>;
    if (std::isnan(value)) return 0;
    if (value <= static_cast<double>(Limits::min())) return Limits::min();
    if (value >= static_cast<double>(Limits::max())) return Limits::max();
    return static_cast<T>(value);
  }
}

void fill(void* output, DType dtype, int64_t count, double value) {
  dispatch(dtype, [&]<class T>() {
    const T element = converted<T>(value);
    T* data = static_cast<T*>(output);
    parallel_for(count, count / 2,
                 [&](int64_t begin, int64_t end) { std::fill(data + begin, data + end, element); });
  });
}

class PreparedCopy final : public Executable {
 public:
  PreparedCopy(const Copy& kernel, Operands inputs, const Operand& output)
      : inputs_(inputs.size()),
        dtype_(output.dtype),
        covers_(kernel.covers),
        numel_(output.shape->numel()),
        fill_(kernel.fill) {
    const int64_t element = static_cast<int64_t>(size_of(output.dtype));
    for (size_t i = 0; i < kernel.parts.size(); ++i) {
      const Copy::Part& part = kernel.parts[i];
      Move move{};
      if (!make_box(part, element, move.box)) continue;
      move.input = i;
      move.elements = part.sizes.numel();
      moves_.push_back(move);
    }
  }

  void run(void* const* data) override {
    void* const output = data[inputs_];
    if (!covers_) fill(output, dtype_, numel_, fill_);
    for (Move& move : moves_) {
      place(move.box, data[move.input], output);
      copy_box(move.box, move.elements);
    }
  }

 private:
  struct Move {
    Box box;
    size_t input;
    int64_t elements;
  };
  std::vector<Move> moves_;
  size_t inputs_;
  DType dtype_;
  bool covers_;
  int64_t numel_;
  double fill_;
};

}  // namespace

std::unique_ptr<Executable> prepare(const Copy& kernel, Operands inputs, Operands outputs) {
  return std::make_unique<PreparedCopy>(kernel, inputs, outputs[0]);
}

void run(const Copy& kernel, Operands inputs, Operands outputs) {
  const Operand& output = outputs[0];
  if (!kernel.covers) fill(output.data, output.dtype, output.shape->numel(), kernel.fill);
  const int64_t element = static_cast<int64_t>(size_of(output.dtype));
  for (size_t i = 0; i < kernel.parts.size(); ++i) {
    const Copy::Part& part = kernel.parts[i];
    Box box;
    if (!make_box(part, element, box)) continue;
    place(box, inputs[i].data, output.data);
    copy_box(box, part.sizes.numel());
  }
}

}  // namespace cornu::backend::cpu
