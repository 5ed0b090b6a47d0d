// Reductions of elementwise programs. The iteration space is cut into groups of neighboring axes
// that are all kept (K) or all reduced (R). A last group R is reduced along tiles (rows), a last
// pair R K is added up tile by tile (columns), and whatever stands before is a loop.
//
// Sums and products of float32: tiles and up to 32 of their partial sums are added in float32, all
// beyond that in float64, so that the relative error stays near 1e-6 for any length.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "arg_reduce.h"
#include "interpreter.h"
#include "parallel.h"
#include "prepare.h"
#include "reduce_groups.h"

namespace cornu::backend::cpu {
namespace {

constexpr int64_t flush_interval = 32;
/// Elements that one part of a reduced group must have to be worth a part, and the most parts. The
/// parts depend on the shape alone, so that any number of threads gives the same bits.
constexpr int64_t part_elements = 32 * 1024;
constexpr int64_t max_parts = 256;

int64_t parts_of(int64_t numel, int64_t count) {
  return std::max<int64_t>(1, std::min({numel / part_elements, count, max_parts}));
}

/// This thread's accumulators, kept between calls.
Frame& accumulator_frame() {
  static thread_local Frame frame;
  return frame;
}

Combine combine_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::product:
      return Combine::product;
    case ReduceOp::maximum:
      return Combine::maximum;
    case ReduceOp::minimum:
      return Combine::minimum;
    default:
      return Combine::sum;
  }
}

class Reduction {
 public:
  Reduction(const Reduce& kernel, Operands inputs, const Operand& output,
            Binding binding = Binding::once)
      : program_(*kernel.program, kernel.compute, kernel.shape, inputs, {}, binding),
        groups_(kernel.shape, kernel.axes),
        combine_(combine_of(kernel.op)),
        output_(static_cast<char*>(output.data)),
        output_type_(output.dtype),
        output_bytes_(static_cast<int64_t>(size_of(output.dtype))),
        outputs_(output.shape->numel()),
        scale_(kernel.scale) {
    constexpr Opcode opcodes[] = {Opcode::add, Opcode::multiply, Opcode::maximum, Opcode::minimum};
    const bool adds = combine_ == Combine::sum || combine_ == Combine::product;
    // Minima and maxima lose nothing in float32.
    widened_ = kernel.compute == DType::float32 && adds;
    accumulator_type_ = widened_ ? DType::float64 : kernel.compute;
    bytes_ = static_cast<int64_t>(size_of(accumulator_type_));
    element_bytes_ = static_cast<int64_t>(size_of(kernel.compute));
    const int op = static_cast<int>(opcodes[static_cast<int>(combine_)]);
    combine_elements_ = tile_kernels(kernel.compute).elementwise[op];
    combine_accumulators_ = tile_kernels(accumulator_type_).elementwise[op];
    combine_rows_ = tile_kernels(kernel.compute).rows[static_cast<int>(combine_)];
    store_ = convert_tile(accumulator_type_, output.dtype);
    set_neutral();
  }

  void run();
  /// Runs on the input at these addresses, and the output after them.
  void run(void* const* data, size_t inputs) {
    program_.rebind(data);
    output_ = static_cast<char*>(data[inputs]);
    run();
  }

 private:
  void set_neutral();
  void fill_neutral(char* accumulators, int64_t count) const;
  /// accumulators[i] = combine(accumulators[i], x[i]) for elements x of the compute type.
  void combine_tile(char* accumulators, const void* x, int64_t n) const;
  void combine(char* accumulators, const char* more, int64_t n) const {
    combine_accumulators_(accumulators, more, nullptr, accumulators, n);
  }
  /// Folds `rows` rows of `length` in place onto the first, pairwise.
  static void fold(ElementwiseTile combine, char* x, int64_t rows, int64_t length, int64_t bytes);

  void rows(Frame& frame, int64_t flat, int64_t count, int64_t length, char* accumulators) const;
  void columns(Frame& frame, int64_t flat, int64_t count, int64_t stride, int64_t n,
               char* accumulators) const;
  void fold_rows(const char* x, int64_t rows, int64_t length, char* accumulators) const;
  void narrow_columns(Frame& frame, int64_t flat, int64_t count, int64_t length,
                      char* accumulators) const;
  void accumulate(Frame& frame, int level, int64_t flat, int64_t begin, int64_t end,
                  char* accumulators) const;
  /// Scales, converts and stores; the accumulators are lost.
  void finish(char* accumulators, int64_t first, int64_t count) const;

  void run_parts();
  void run_kept();
  void run_wide_columns(int64_t outer, int64_t count, int64_t length);

  BoundProgram program_;
  ReduceGroups groups_;
  Combine combine_;
  char* output_;
  DType output_type_;
  int64_t output_bytes_;  ///< of an element
  int64_t outputs_;       ///< their number
  double scale_;
  bool widened_;
  DType accumulator_type_;
  int64_t bytes_;  ///< of an accumulator
  int64_t element_bytes_;
  ElementwiseTile combine_elements_, combine_accumulators_;
  RowsTile combine_rows_;
  ConvertTile store_;
  alignas(8) char neutral_[8];
};

void Reduction::set_neutral() {
  const bool highest = combine_ == Combine::minimum;
  dispatch(accumulator_type_, [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      T value = combine_ == Combine::product ? T(1) : T(0);
      if (combine_ == Combine::maximum || combine_ == Combine::minimum) {
        if constexpr (std::is_floating_point_v<T>) {
          value =
              highest ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
        } else {
          // Of an empty maximum the lowest value of the output's type is wanted.
          value = highest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
          dispatch(output_type_, [&]<class O>() {
            if constexpr (std::is_integral_v<O>) {
              if (program_.numel() == 0)
                value = static_cast<T>(highest ? std::numeric_limits<O>::max()
                                               : std::numeric_limits<O>::lowest());
            }
          });
        }
      }
      std::memcpy(neutral_, &value, sizeof value);
    }
  });
}

void Reduction::fill_neutral(char* accumulators, int64_t count) const {
  if (bytes_ == 8) {
    uint64_t bits;
    std::memcpy(&bits, neutral_, sizeof bits);
    std::fill_n(reinterpret_cast<uint64_t*>(accumulators), count, bits);
  } else {
    uint32_t bits;
    std::memcpy(&bits, neutral_, sizeof bits);
    std::fill_n(reinterpret_cast<uint32_t*>(accumulators), count, bits);
  }
}

void Reduction::combine_tile(char* accumulators, const void* x, int64_t n) const {
  if (!widened_) {
    combine_elements_(accumulators, x, nullptr, accumulators, n);
    return;
  }
  double* to = reinterpret_cast<double*>(accumulators);
  const float* from = static_cast<const float*>(x);
  if (combine_ == Combine::sum) {
    for (int64_t i = 0; i < n; ++i) to[i] += from[i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] *= from[i];
  }
}

void Reduction::fold(ElementwiseTile combine, char* x, int64_t rows, int64_t length,
                     int64_t bytes) {
  while (rows > 1) {
    const int64_t half = rows / 2;
    // The later half goes onto the earlier one, so an odd row in the middle stays for the next
    // round.
    combine(x, x + (rows - half) * length * bytes, nullptr, x, half * length);
    rows -= half;
  }
}

void Reduction::rows(Frame& frame, int64_t flat, int64_t count, int64_t length,
                     char* accumulators) const {
  if (length <= tile_size) {
    // Several short rows per tile, since starting a tile costs more than a row.
    const int64_t at_once = tile_size / length;
    for (int64_t r = 0; r < count; r += at_once) {
      const int64_t some = std::min(at_once, count - r);
      combine_rows_(program_.evaluate(frame, flat + r * length, some * length), some, length,
                    accumulators + r * bytes_);
    }
    return;
  }
  for (int64_t r = 0; r < count; ++r, flat += length)
    for (int64_t i = 0; i < length; i += tile_size) {
      const int64_t n = std::min(tile_size, length - i);
      combine_rows_(program_.evaluate(frame, flat + i, n), 1, n, accumulators + r * bytes_);
    }
}

// Adds up the tiles [flat + r * stride, ... + n) for r < count.
void Reduction::columns(Frame& frame, int64_t flat, int64_t count, int64_t stride, int64_t n,
                        char* accumulators) const {
  if (!widened_) {
    for (int64_t r = 0; r < count; ++r)
      combine_tile(accumulators, program_.evaluate(frame, flat + r * stride, n), n);
    return;
  }
  alignas(64) float partial[tile_size];
  for (int64_t r = 0; r < count; r += flush_interval) {
    const int64_t end = std::min(count, r + flush_interval);
    const void* x = program_.evaluate(frame, flat + r * stride, n);
    // A single row needs no partial sum.
    if (end == r + 1) {
      combine_tile(accumulators, x, n);
      continue;
    }
    std::memcpy(partial, x, static_cast<size_t>(n) * sizeof(float));
    for (int64_t k = r + 1; k < end; ++k)
      combine_elements_(partial, program_.evaluate(frame, flat + k * stride, n), nullptr, partial,
                        n);
    combine_tile(accumulators, partial, n);
  }
}

// accumulators[i] = combine(accumulators[i], column i of x), for `rows` rows of the compute type
// that fit a tile: pairwise, so that even in float32 nothing is lost.
void Reduction::fold_rows(const char* x, int64_t rows, int64_t length, char* accumulators) const {
  const int64_t half = rows / 2, kept = rows - half;
  alignas(64) char some[tile_size * 8];
  if (half > 0) {
    // The first step of the fold is out of place: x may be the operand itself.
    combine_elements_(x, x + kept * length * element_bytes_, nullptr, some, half * length);
    if (kept > half)
      std::memcpy(some + half * length * element_bytes_, x + half * length * element_bytes_,
                  static_cast<size_t>(length * element_bytes_));
    fold(combine_elements_, some, kept, length, element_bytes_);
    x = some;
  }
  combine_tile(accumulators, x, length);
}

// Columns of short rows: a tile holds many rows, which are told apart only at the end.
void Reduction::narrow_columns(Frame& frame, int64_t flat, int64_t count, int64_t length,
                               char* accumulators) const {
  const int64_t at_once = tile_size / length, width = at_once * length;
  const int64_t tiles = count / at_once, rest = count % at_once;
  const auto fold_tile = [&](int64_t from, int64_t rows) {
    const void* x = program_.evaluate(frame, from, rows * length);
    fold_rows(static_cast<const char*>(x), rows, length, accumulators);
  };
  if (tiles == 1) {
    fold_tile(flat, at_once);
  } else if (tiles > 1) {
    alignas(64) char wide[tile_size * 8];
    fill_neutral(wide, width);
    columns(frame, flat, tiles, width, width, wide);
    fold(combine_accumulators_, wide, at_once, length, bytes_);
    combine(accumulators, wide, length);
  }
  if (rest > 0) fold_tile(flat + tiles * width, rest);
}

// Reduces the part [begin, end) of group `level` and all groups inside it, from `flat` on.
void Reduction::accumulate(Frame& frame, int level, int64_t flat, int64_t begin, int64_t end,
                           char* accumulators) const {
  const ReduceGroups::Group& group = groups_[level];
  const int left = groups_.count() - level;
  flat += begin * group.stride;
  const int64_t count = end - begin;
  if (left == 1) {  // a part of a row
    rows(frame, flat, 1, count, accumulators);
    return;
  }
  const ReduceGroups::Group& next = groups_[level + 1];
  if (left == 2 && !group.reduced) {
    rows(frame, flat, count, next.size, accumulators);
    return;
  }
  if (left == 2) {
    // At least two rows fit a tile.
    if (next.size <= tile_size / 2) {
      narrow_columns(frame, flat, count, next.size, accumulators);
      return;
    }
    for (int64_t i = 0; i < next.size; i += tile_size)
      columns(frame, flat + i, count, next.size, std::min(tile_size, next.size - i),
              accumulators + i * bytes_);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    accumulate(frame, level + 1, flat + i * group.stride, 0, next.size,
               accumulators + (group.reduced ? 0 : i * group.kept_stride * bytes_));
}

void Reduction::finish(char* accumulators, int64_t first, int64_t count) const {
  if (scale_ != 1) {
    dispatch(accumulator_type_, [&]<class T>() {
      if constexpr (std::is_arithmetic_v<T>) {
        T* values = reinterpret_cast<T*>(accumulators);
        for (int64_t i = 0; i < count; ++i)
          values[i] = static_cast<T>(static_cast<double>(values[i]) * scale_);
      }
    });
  }
  store_(accumulators, output_ + first * output_bytes_, count);
}

// The first group is reduced: parts of it are reduced apart, then combined in order.
void Reduction::run_parts() {
  const int64_t kept = groups_.kept(), count = groups_[0].size;
  // Putting the parts together is one thread's work.
  constexpr int64_t least_rows = 64;
  // Kept elements times parts is memory and a sequential addition at the end; both stay small.
  const int64_t parts =
      parts_of(program_.numel(), std::min(count, program_.numel() / kept / least_rows));
  Frame& memory = accumulator_frame();
  memory.reserve(static_cast<size_t>(parts * kept * bytes_));
  char* accumulators = memory.scratch;
  fill_neutral(accumulators, parts * kept);
  auto run_range = [&](int64_t begin, int64_t end) {
    Frame& frame = program_.start(std::min(tile_size, program_.numel()));
    for (int64_t part = begin; part < end; ++part)
      accumulate(frame, 0, 0, count * part / parts, count * (part + 1) / parts,
                 accumulators + part * kept * bytes_);
  };
  if (parts == 1)
    run_range(0, 1);
  else
    parallel_for(parts, program_.work(), run_range);
  for (int64_t part = 1; part < parts; ++part)
    combine(accumulators, accumulators + part * kept * bytes_, kept);
  finish(accumulators, 0, kept);
}

// Tiles of columns, each from the first row to the last.
void Reduction::run_wide_columns(int64_t outer, int64_t count, int64_t length) {
  const int64_t blocks = (length + tile_size - 1) / tile_size;
  auto run_range = [&](int64_t begin, int64_t end) {
    Frame& frame = program_.start(tile_size);
    alignas(64) char accumulators[tile_size * 8];
    for (int64_t item = begin; item < end; ++item) {
      const int64_t k = item / blocks, column = item % blocks * tile_size;
      const int64_t n = std::min(tile_size, length - column);
      fill_neutral(accumulators, n);
      columns(frame, k * count * length + column, count, length, n, accumulators);
      finish(accumulators, k * length + column, n);
    }
  };
  parallel_for(outer * blocks, program_.work(), run_range);
}

// The first group is kept: its elements are reduced apart.
void Reduction::run_kept() {
  const int64_t count = groups_[0].size, each = groups_.kept() / count;
  // Accumulators of about a tile are finished together.
  const int64_t at_once = std::max<int64_t>(1, tile_size / each);
  auto run_range = [&](int64_t begin, int64_t end) {
    Frame& frame = program_.start(std::min(tile_size, program_.numel()));
    Frame& memory = accumulator_frame();
    memory.reserve(static_cast<size_t>(std::min(at_once, end - begin) * each * bytes_));
    for (int64_t i = begin; i < end; i += at_once) {
      const int64_t some = std::min(at_once, end - i);
      fill_neutral(memory.scratch, some * each);
      accumulate(frame, 0, 0, i, i + some, memory.scratch);
      finish(memory.scratch, i * each, some * each);
    }
  };
  parallel_for(count, program_.work(), run_range);
}

void Reduction::run() {
  if (outputs_ == 0) return;
  if (program_.numel() == 0) {
    Frame& memory = accumulator_frame();
    memory.reserve(static_cast<size_t>(outputs_ * bytes_));
    fill_neutral(memory.scratch, outputs_);
    finish(memory.scratch, 0, outputs_);
    return;
  }
  const int count = groups_.count();
  const bool columns_last = count >= 2 && !groups_[count - 1].reduced;
  const int64_t last = groups_[count - 1].size;
  if (columns_last && last >= 2 * tile_size) {
    if (count == 2) return run_wide_columns(1, groups_[0].size, last);
    if (count == 3) return run_wide_columns(groups_[0].size, groups_[1].size, last);
  }
  // Few long rows are better cut than dealt out.
  const bool few_rows = count == 2 && groups_[1].reduced && groups_[0].size < 16 &&
                        groups_[1].size >= 2 * part_elements;
  if (few_rows) {
    const int64_t rows_count = groups_[0].size, length = groups_[1].size;
    const int64_t parts = parts_of(length, length);
    Frame& memory = accumulator_frame();
    memory.reserve(static_cast<size_t>(parts * rows_count * bytes_));
    char* accumulators = memory.scratch;
    fill_neutral(accumulators, parts * rows_count);
    parallel_for(parts * rows_count, program_.work(), [&](int64_t begin, int64_t end) {
      Frame& frame = program_.start(tile_size);
      for (int64_t item = begin; item < end; ++item) {
        const int64_t part = item / rows_count, row = item % rows_count;
        accumulate(frame, 1, row * length, length * part / parts, length * (part + 1) / parts,
                   accumulators + item * bytes_);
      }
    });
    for (int64_t part = 1; part < parts; ++part)
      combine(accumulators, accumulators + part * rows_count * bytes_, rows_count);
    return finish(accumulators, 0, rows_count);
  }
  if (groups_[0].reduced)
    run_parts();
  else
    run_kept();
}

class PreparedReduce final : public Executable {
 public:
  PreparedReduce(const Reduce& kernel, Operands inputs, const Operand& output)
      : program_(kernel.program),
        inputs_(inputs.size()),
        reduction_(kernel, inputs, output, Binding::lasting) {}

  void run(void* const* data) override { reduction_.run(data, inputs_); }

 private:
  const ProgramRef program_;
  size_t inputs_;
  Reduction reduction_;
};

}  // namespace

std::unique_ptr<Executable> prepare(const Reduce& kernel, Operands inputs, Operands outputs) {
  if (kernel.op == ReduceOp::argmax || kernel.op == ReduceOp::argmin) return nullptr;
  return std::make_unique<PreparedReduce>(kernel, inputs, outputs[0]);
}

void run(const Reduce& kernel, Operands inputs, Operands outputs) {
  if (kernel.op == ReduceOp::argmax || kernel.op == ReduceOp::argmin) {
    arg_reduce(kernel, inputs, outputs[0]);
    return;
  }
  Reduction(kernel, inputs, outputs[0]).run();
}

}  // namespace cornu::backend::cpu
