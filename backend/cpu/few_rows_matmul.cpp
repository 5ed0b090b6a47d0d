// Two loops: over the rows of b where those are contiguous, which are added up in the rows of c,
// and over its columns where they are, each of which is one sum.
#include "few_rows_matmul.h"

#include <algorithm>
#include <optional>

#include "allocator.h"
#include "parallel.h"
#include "targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cornu/backend/cpu/few_rows_matmul.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#ifndef CORNU_FEW_ROWS_TABLE
#define CORNU_FEW_ROWS_TABLE
namespace cornu::backend::cpu {
namespace {
// What one instruction set offers. Rows of a are contiguous.
struct FewRowsTable {
  int64_t lanes;
  /// c += a x b for b row by row. `follows`: whether the caller goes on with the rows behind b.
  void (*add_rows)(const MatrixProduct<float>&, bool follows);
  /// c = bias + a x b for b column by column.
  void (*dot_columns)(const MatrixProduct<float>&);
};
}  // namespace
}  // namespace cornu::backend::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Factors and sums of so many rows fit the registers.
constexpr int most_rows = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
constexpr int steps = 4;
// Floats of one, and the cache that what comes next is fetched to (as __builtin_prefetch has it).
constexpr int64_t cache_line = 16;
constexpr int second_level = 2;

// The columns of add_steps that fill no vector.
HWY_NOINLINE void add_tail(const MatrixProduct<float>& p, int64_t row, int64_t rows, int64_t first,
                           int64_t count, int64_t column) {
  for (; column < p.n; ++column)
    for (int64_t r = row; r < row + rows; ++r)
      for (int64_t i = first; i < first + count; ++i)
        p.c[r * p.c_row + column] += p.a[r * p.a_row + i] * p.b[i * p.b_row + column];
}

// Rows [row, row + Rows) of c += Steps rows of b from `first` on. `ahead`: rows of b that come
// next, or null. They are fetched in the order of memory: of several rows side by side, as they are
// read here, processors fetch little more than half as fast ahead by themselves.
template <int Rows, int Steps>
HWY_ATTR void add_steps(const MatrixProduct<float>& p, int64_t row, int64_t first,
                        const float* ahead = nullptr) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const float* const b = p.b + first * p.b_row;
  const float* const a = p.a + row * p.a_row + first;
  float* const c = p.c + row * p.c_row;
  V factors[Rows][Steps];
  for (int r = 0; r < Rows; ++r)
    for (int s = 0; s < Steps; ++s) factors[r][s] = hn::Set(d, a[r * p.a_row + s]);
  int64_t column = 0;
  for (; column + lanes <= p.n; column += lanes) {
    if (ahead != nullptr)
      for (int64_t i = 0; i < Steps * lanes; i += cache_line)
        __builtin_prefetch(ahead + Steps * column + i, 0, second_level);
    V values[Steps];
    for (int s = 0; s < Steps; ++s) values[s] = hn::LoadU(d, b + s * p.b_row + column);
    for (int r = 0; r < Rows; ++r) {
      V sum = hn::LoadU(d, c + r * p.c_row + column);
      for (int s = 0; s < Steps; ++s) sum = hn::MulAdd(factors[r][s], values[s], sum);
      hn::StoreU(sum, d, c + r * p.c_row + column);
    }
  }
  add_tail(p, row, Rows, first, Steps, column);
}

// All rows of c take a few rows of b before the next ones are read.
HWY_ATTR void add_rows(const MatrixProduct<float>& p, bool follows) {
  int64_t i = 0;
  for (; i + steps <= p.k; i += steps) {
    const bool more = p.b_row == p.n && (follows || i + 2 * steps <= p.k);
    const float* ahead = more ? p.b + (i + steps) * p.b_row : nullptr;
    int64_t row = 0;
    for (; row + most_rows <= p.m; row += most_rows, ahead = nullptr)
      add_steps<most_rows, steps>(p, row, i, ahead);
    for (; row < p.m; ++row, ahead = nullptr) add_steps<1, steps>(p, row, i, ahead);
  }
  for (; i < p.k; ++i)
    for (int64_t row = 0; row < p.m; ++row) add_steps<1, 1>(p, row, i);
}

// What dot_column leaves: the products that fill no vector, and the bias.
HWY_NOINLINE void dot_tail(const MatrixProduct<float>& p, int64_t row, int64_t rows, int64_t column,
                           int64_t first) {
  for (int64_t r = row; r < row + rows; ++r) {
    float sum = p.c[r * p.c_row + column];
    for (int64_t i = first; i < p.k; ++i)
      sum += p.a[r * p.a_row + i] * p.b[column * p.b_column + i];
    p.c[r * p.c_row + column] = sum + (p.bias != nullptr ? p.bias[column] : 0.0f);
  }
}

// Rows sums of one column, from `row` on: memory is read in its order.
template <int Rows>
HWY_ATTR void dot_column(const MatrixProduct<float>& p, int64_t row, int64_t column) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const float* const a = p.a + row * p.a_row;
  const float* const b = p.b + column * p.b_column;
  V sums[Rows][steps];
  for (int r = 0; r < Rows; ++r)
    for (int s = 0; s < steps; ++s) sums[r][s] = hn::Zero(d);
  int64_t i = 0;
  for (; i + steps * lanes <= p.k; i += steps * lanes) {
    V values[steps];
    for (int s = 0; s < steps; ++s) values[s] = hn::LoadU(d, b + i + s * lanes);
    for (int r = 0; r < Rows; ++r)
      for (int s = 0; s < steps; ++s)
        sums[r][s] =
            hn::MulAdd(hn::LoadU(d, a + r * p.a_row + i + s * lanes), values[s], sums[r][s]);
  }
  for (; i + lanes <= p.k; i += lanes) {
    const V value = hn::LoadU(d, b + i);
    for (int r = 0; r < Rows; ++r)
      sums[r][0] = hn::MulAdd(hn::LoadU(d, a + r * p.a_row + i), value, sums[r][0]);
  }
  for (int r = 0; r < Rows; ++r) {
    const V low = hn::Add(sums[r][0], sums[r][1]), high = hn::Add(sums[r][2], sums[r][3]);
    p.c[(row + r) * p.c_row + column] = hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
  }
  dot_tail(p, row, Rows, column, i);
}

HWY_ATTR void dot_columns(const MatrixProduct<float>& p) {
  for (int64_t column = 0; column < p.n; ++column) {
    int64_t row = 0;
    for (; row + most_rows <= p.m; row += most_rows) dot_column<most_rows>(p, row, column);
    for (; row < p.m; ++row) dot_column<1>(p, row, column);
  }
}

const FewRowsTable* table() {
  static const FewRowsTable entries = {static_cast<int64_t>(hn::Lanes(D())), add_rows, dot_columns};
  return &entries;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {
namespace {

HWY_EXPORT(table);

const FewRowsTable& chosen() {
  static const FewRowsTable& entries = *HWY_DYNAMIC_DISPATCH(table)();
  return entries;
}

/// Floats of b that are worth a part of their own.
constexpr int64_t part_floats = 64 * 1024;
/// Columns in a row of b that are still read as one stretch of memory.
constexpr int64_t long_columns = 2048;
constexpr int64_t most_parts = 64;
/// Products that are added up in a row, at most: longer sums lose precision.
constexpr int64_t part_depth = 1024;

void start_with_bias(const MatrixProduct<float>& p) {
  for (int64_t row = 0; row < p.m; ++row)
    if (p.bias != nullptr)
      std::copy_n(p.bias, p.n, p.c + row * p.c_row);
    else
      std::fill_n(p.c + row * p.c_row, p.n, 0.0f);
}

MatrixProduct<float> columns_of(const MatrixProduct<float>& p, int64_t begin, int64_t end) {
  MatrixProduct<float> part = p;
  part.n = end - begin;
  part.b += begin * p.b_column;
  if (p.bias != nullptr) part.bias += begin;
  part.c += begin;
  return part;
}

// Ranges of columns for each thread, in blocks of `step`: no sum depends on where they are cut.
template <class F>
void by_columns(const MatrixProduct<float>& p, int64_t step, int64_t work, F&& f) {
  parallel_for((p.n + step - 1) / step, work, [&](int64_t begin, int64_t end) {
    f(columns_of(p, begin * step, std::min(end * step, p.n)));
  });
}

// Ranges of rows of b, whose sums are added up in their order at the end.
void by_rows(const MatrixProduct<float>& p, int64_t parts, int64_t work) {
  const int64_t count = p.m * p.n;
  const Scratch scratch(static_cast<size_t>((parts - 1) * count) * sizeof(float));
  auto* const others = static_cast<float*>(scratch.data());
  const auto cut = [&](int64_t part) { return part == parts ? p.k : part * p.k / parts / 4 * 4; };
  parallel_for(parts, work, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      MatrixProduct<float> part = p;
      part.k = cut(i + 1) - cut(i);
      part.a += cut(i);
      part.b += cut(i) * p.b_row;
      if (i > 0) {
        part.bias = nullptr;
        part.c = others + (i - 1) * count;
        part.c_row = p.n;
      }
      start_with_bias(part);
      chosen().add_rows(part, i + 1 < end);
    }
  });
  for (int64_t i = 1; i < parts; ++i)
    for (int64_t row = 0; row < p.m; ++row) {
      const float* const from = others + (i - 1) * count + row * p.n;
      float* const to = p.c + row * p.c_row;
      for (int64_t column = 0; column < p.n; ++column) to[column] += from[column];
    }
}

}  // namespace

void few_rows_matmul(const MatrixProduct<float>& given) {
  MatrixProduct<float> p = given;
  std::optional<Scratch> rows;
  if (p.a_column != 1) {
    rows.emplace(static_cast<size_t>(p.m * p.k) * sizeof(float));
    auto* const to = static_cast<float*>(rows->data());
    for (int64_t row = 0; row < p.m; ++row)
      for (int64_t i = 0; i < p.k; ++i) to[row * p.k + i] = p.a[row * p.a_row + i * p.a_column];
    p.a = to;
    p.a_row = p.k;
    p.a_column = 1;
  }
  // It takes as long as reading b, or as its multiplications.
  const int64_t work = p.n * p.k * std::max<int64_t>(p.m / multiplications_per_operation, 1);
  if (p.b_column != 1) return by_columns(p, 8, work, chosen().dot_columns);
  const int64_t parts = std::clamp<int64_t>(
      std::max(std::min<int64_t>(p.n * p.k / part_floats, most_parts / 4), p.k / part_depth), 1,
      most_parts);
  if (p.n < 2 * long_columns && parts > 1) return by_rows(p, parts, work);
  by_columns(p, std::max(long_columns, chosen().lanes), work, [](const MatrixProduct<float>& part) {
    start_with_bias(part);
    chosen().add_rows(part, false);
  });
}

}  // namespace cornu::backend::cpu
#endif  // HWY_ONCE
