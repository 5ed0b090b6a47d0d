// Running sums and products. Floats are accumulated in a wider type and rounded when stored.
#include <algorithm>
#include <type_traits>

#include "indexing.h"
#include "kernels.h"
#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

// Unsigned arithmetic for integers, because it may wrap around.
template <class T>
auto to_accumulator(T value) {
  if constexpr (std::is_same_v<T, Half>)
    return half_to_float(value.bits);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return bfloat16_to_float(value.bits);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<uint64_t>(value);
}

template <class T, class Accumulator>
T from_accumulator(Accumulator value) {
  if constexpr (std::is_same_v<T, Half>)
    return {float_to_half(static_cast<float>(value))};
  else if constexpr (std::is_same_v<T, BFloat16>)
    return {float_to_bfloat16(static_cast<float>(value))};
  else
    return static_cast<T>(value);  // to bool: whether it is not zero
}

template <bool product, class Accumulator>
Accumulator combined(Accumulator total, Accumulator value) {
  return product ? total * value : total + value;
}

// Lanes side by side in memory, so that the loops over them vectorize.
template <class From, class To, bool product>
void accumulate_columns(const From* x, To* out, int64_t n, int64_t inner, bool reverse,
                        int64_t lanes) {
  using Accumulator = decltype(to_accumulator(To{}));
  constexpr int64_t width = 64;
  Accumulator totals[width];
  for (int64_t b = 0; b < lanes; b += width) {
    const int64_t count = std::min(width, lanes - b);
    std::fill(totals, totals + count, Accumulator(product ? 1 : 0));
    for (int64_t i = 0; i < n; ++i) {
      const int64_t place = (reverse ? n - 1 - i : i) * inner + b;
      for (int64_t lane = 0; lane < count; ++lane) {
        totals[lane] = combined<product>(totals[lane],
                                         static_cast<Accumulator>(to_accumulator(x[place + lane])));
        out[place + lane] = from_accumulator<To>(totals[lane]);
      }
    }
  }
}

// `rows` rows at once: each waits for its own additions only.
template <int rows, class From, class To, bool product>
void accumulate_rows(const From* x, To* out, int64_t n, bool reverse) {
  using Accumulator = decltype(to_accumulator(To{}));
  Accumulator totals[rows];
  std::fill(totals, totals + rows, Accumulator(product ? 1 : 0));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t place = reverse ? n - 1 - i : i;
    for (int row = 0; row < rows; ++row) {
      totals[row] = combined<product>(totals[row],
                                      static_cast<Accumulator>(to_accumulator(x[row * n + place])));
      out[row * n + place] = from_accumulator<To>(totals[row]);
    }
  }
}

template <class From, class To, bool product>
void accumulate(const From* x, To* out, int64_t n, int64_t inner, bool reverse, int64_t begin,
                int64_t end) {
  if (inner == 1) {
    constexpr int together = 4;
    int64_t row = begin;
    for (; row + together <= end; row += together)
      accumulate_rows<together, From, To, product>(x + row * n, out + row * n, n, reverse);
    for (; row < end; ++row)
      accumulate_rows<1, From, To, product>(x + row * n, out + row * n, n, reverse);
    return;
  }
  for_each_lane_run(inner, begin, end, [&](int64_t o, int64_t b0, int64_t b1) {
    const int64_t start = o * n * inner + b0;
    accumulate_columns<From, To, product>(x + start, out + start, n, inner, reverse, b1 - b0);
  });
}

template <class From, class To>
void cumulative(const Cumulative& kernel, const Operand& x, const Operand& output) {
  int64_t outer = 1, n = 1, inner = 1;
  for (int i = 0; i < x.shape->rank(); ++i) {
    const int64_t size = (*x.shape)[i];
    (i < kernel.axis ? outer : i == kernel.axis ? n : inner) *= size;
  }
  if (outer * n * inner == 0) return;
  const From* from = static_cast<const From*>(x.data);
  To* to = static_cast<To*>(output.data);
  parallel_for(outer * inner, outer * n * inner, [&](int64_t begin, int64_t end) {
    if (kernel.product)
      accumulate<From, To, true>(from, to, n, inner, kernel.reverse, begin, end);
    else
      accumulate<From, To, false>(from, to, n, inner, kernel.reverse, begin, end);
  });
}

}  // namespace

void run(const Cumulative& kernel, Operands inputs, Operands outputs) {
  dispatch(outputs[0].dtype, [&]<class T>() {
    if (inputs[0].dtype == DType::boolean)
      cumulative<bool, T>(kernel, inputs[0], outputs[0]);
    else
      cumulative<T, T>(kernel, inputs[0], outputs[0]);
  });
}

}  // namespace cornu::backend::cpu
