// The code of normalization kernels.
#include "normalize_text.h"

namespace cornu::backend::cuda::normalize_text {

const char* const functions = R"text(
/// How many values, their mean, and the sum of squared distances from it.
struct Moments { double count, mean, squares; };
CORNU_DEVICE Moments no_sums(Moments*) { return Moments{0, 0, 0}; }
CORNU_DEVICE Moments together(const Moments& a, const Moments& b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const double count = a.count + b.count, delta = b.mean - a.mean;
  const double fraction = a.count == b.count ? 0.5 : b.count / count;  // division takes long
  return Moments{count, a.mean + delta * fraction,
                 a.squares + b.squares + delta * delta * a.count * fraction};
}
/// Of the gradient, and of its products with the distances from the mean.
struct Products { double sum, product, unused; };
CORNU_DEVICE Products no_sums(Products*) { return Products{0, 0, 0}; }
CORNU_DEVICE Products together(const Products& a, const Products& b) {
  return Products{a.sum + b.sum, a.product + b.product, 0};
}

/// How many of begin, begin + step, ... come before `end`.
CORNU_DEVICE Index count_of(Index begin, Index end, Index step) {
  return begin < end ? (end - begin + step - 1) / step : 0;
}

/// Moments of `n` series side by side, of which load(at, values) gives an element each, at begin,
/// begin + step, ... before `end`; or of all of them together, if `as_one`. Groups of up to 32
/// loads, which do not wait for each other, are summed in Real relative to the group's first
/// element; the groups in double, relative to the first of all.
template <bool about_mean, int n, bool as_one, class Load>
CORNU_DEVICE void moments(Index begin, Index end, Index step, const Load& load, Moments* totals) {
  constexpr int series = as_one ? 1 : n;
  const Index all = count_of(begin, end, step);
  Real origin[n], first[n];
  double sums[series], squares[series];
#pragma unroll
  for (int e = 0; e < n; ++e) origin[e] = first[e] = 0;
#pragma unroll
  for (int e = 0; e < series; ++e) sums[e] = squares[e] = 0;
  if (about_mean && all != 0) load(begin, origin);
  Index at = begin;
  for (Index left = all; left != 0;) {
    if (about_mean) load(at, first);
    Real sum[series], square[series];
#pragma unroll
    for (int e = 0; e < series; ++e) sum[e] = square[e] = 0;
    const auto add = [&](Index place) {
      Real values[n];
      load(place, values);
#pragma unroll
      for (int e = 0; e < n; ++e) {
        const Real distance = values[e] - first[as_one ? 0 : e];
        sum[as_one ? 0 : e] += distance;
        square[as_one ? 0 : e] += distance * distance;
      }
    };
    const int group = left < 32 ? static_cast<int>(left) : 32;
    if (group == 32) {
#pragma unroll 8
      for (int k = 0; k < 32; ++k) add(at + k * step);
    } else {
#pragma unroll 4
      for (int k = 0; k < group; ++k) add(at + k * step);
    }
    at += group * step;
    left -= group;
    const double count = group * (as_one ? n : 1);
#pragma unroll
    for (int e = 0; e < series; ++e) {
      const double away = static_cast<double>(first[e]) - static_cast<double>(origin[e]);
      const double own = static_cast<double>(sum[e]), shift = away * count;
      sums[e] += own + shift;
      squares[e] += static_cast<double>(square[e]) + away * (own + own + shift);
    }
  }
  const double count = static_cast<double>(all) * (as_one ? n : 1);
  const double fraction = all == 0 ? 0 : 1 / count;
#pragma unroll
  for (int e = 0; e < series; ++e) {
    const double shift = about_mean ? sums[e] * fraction : 0;
    totals[e] = Moments{count, static_cast<double>(origin[e]) + shift, squares[e] - shift * sums[e]};
  }
}

/// Sums of `n` series side by side, and of the products that load(at, values, products) gives with
/// their elements.
template <int n, class Load>
CORNU_DEVICE void products(Index begin, Index end, Index step, const Load& load, Products* totals) {
#pragma unroll
  for (int e = 0; e < n; ++e) totals[e] = Products{0, 0, 0};
  Index at = begin;
  for (Index left = count_of(begin, end, step); left != 0;) {
    Real sum[n], product[n];
#pragma unroll
    for (int e = 0; e < n; ++e) sum[e] = product[e] = 0;
    const auto add = [&](Index place) {
      Real values[n], parts[n];
      load(place, values, parts);
#pragma unroll
      for (int e = 0; e < n; ++e) {
        sum[e] += values[e];
        product[e] += parts[e];
      }
    };
    const int group = left < 32 ? static_cast<int>(left) : 32;
    if (group == 32) {
#pragma unroll 4
      for (int k = 0; k < 32; ++k) add(at + k * step);
    } else {
#pragma unroll 2
      for (int k = 0; k < group; ++k) add(at + k * step);
    }
    at += group * step;
    left -= group;
#pragma unroll
    for (int e = 0; e < n; ++e) {
      totals[e].sum += static_cast<double>(sum[e]);
      totals[e].product += static_cast<double>(product[e]);
    }
  }
}
)text";

// A thread takes `pack` columns side by side, each block `width` such packs. Index i counts packs.
const char* const column_sums = R"text(
  CORNU_SHARED @SUMS@ shared[pack][256];
  CORNU_EACH_THREAD {
    const Index place = static_cast<Index>(blockIdx.x) * width + threadIdx.x % width;
    @SUMS@ totals[pack];
#pragma unroll
    for (int e = 0; e < pack; ++e) totals[e] = no_sums(static_cast<@SUMS@*>(0));
    if (place < packs) {
      const Index column = place * pack;
      const Index first = static_cast<Index>(blockIdx.y) * chunk;
      const Index begin = first + threadIdx.x / width;
      const Index end = first + chunk < rows ? first + chunk : rows;
      @COLLECT@
    }
#pragma unroll
    for (int e = 0; e < pack; ++e) shared[e][threadIdx.x] = totals[e];
  }
  for (uint32 step = lanes / 2; step > 0; step /= 2) {
    CORNU_BLOCK_BARRIER
    CORNU_EACH_THREAD {
      if (threadIdx.x < step * width)
        for (int e = 0; e < pack; ++e)
          shared[e][threadIdx.x] = together(shared[e][threadIdx.x], shared[e][threadIdx.x + step * width]);
    }
  }
  CORNU_BLOCK_BARRIER
  CORNU_EACH_THREAD {
    const Index place = static_cast<Index>(blockIdx.x) * width + threadIdx.x;
    if (threadIdx.x < width && place < packs)
      for (int e = 0; e < pack; ++e)
        partial[static_cast<Index>(blockIdx.y) * columns + place * pack + e] = shared[e][threadIdx.x];
  }
)text";

const char* const collect_moments = R"text(
      moments<centered != 0, pack, false>(begin, end, lanes, [&](Index row, Real* values) {
        const Index i = row * packs + place;
@PACKS@
#pragma unroll
        for (int e = 0; e < pack; ++e) values[e] = streamed(e);
      }, totals);
)text";

const char* const collect_products = R"text(
      Real middles[pack];
#pragma unroll
      for (int e = 0; e < pack; ++e)
        middles[e] = by_rows ? static_cast<Real>(0) : convert<Real>(mean[column + e]);
      products<pack>(begin, end, lanes, [&](Index row, Real* values, Real* parts) {
        const Index i = row * packs + place;
        const auto xs = load_pack<pack>(x + i * pack);
@PACKS@
        Real middle = 0, factor = 1;
        if constexpr (by_rows) {
          middle = convert<Real>(mean[row]);
          factor = inverse_root(convert<Real>(variance[row]) + static_cast<Real>(epsilon));
        }
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          values[e] = streamed(e);
          parts[e] = values[e] * (convert<Real>(xs.v[e]) - (by_rows ? middle : middles[e])) * factor;
        }
      }, totals);
)text";

const char* const column_finish = R"text(
  CORNU_SHARED @SUMS@ shared[256];
  CORNU_EACH_THREAD {
    const Index column = static_cast<Index>(blockIdx.x) * width + threadIdx.x % width;
    @SUMS@ total = no_sums(static_cast<@SUMS@*>(0));
    if (column < columns) {
#pragma unroll 4
      for (Index split = threadIdx.x / width; split < splits; split += lanes)
        total = together(total, partial[split * columns + column]);
    }
    shared[threadIdx.x] = total;
  }
  for (uint32 step = lanes / 2; step > 0; step /= 2) {
    CORNU_BLOCK_BARRIER
    CORNU_EACH_THREAD {
      if (threadIdx.x < step * width)
        shared[threadIdx.x] = together(shared[threadIdx.x], shared[threadIdx.x + step * width]);
    }
  }
  CORNU_BLOCK_BARRIER
  CORNU_EACH_THREAD {
    const Index column = static_cast<Index>(blockIdx.x) * width + threadIdx.x;
    if (threadIdx.x < width && column < columns) {
      @SUMS@ total = shared[threadIdx.x];
      @FINISH@
    }
  }
)text";

const char* const finish_moments = R"text(
      // Of nothing they are no numbers.
      const double middle = rows == 0 ? nan<double>() : total.mean;
      const double spread = rows == 0 ? nan<double>() : total.squares / static_cast<double>(rows);
      mean[column] = convert<Mean>(middle);
      variance[column] = convert<Variance>(spread);
      coefficients[column] = static_cast<Real>(middle);
      coefficients[columns + column] = static_cast<Real>(@SCALE@ / sqrt(spread + epsilon));
      coefficients[2 * columns + column] = static_cast<Real>(@OFFSET@);
)text";

const char* const finish_products = R"text(
      const double inverse = 1 / sqrt(convert<double>(variance[column]) + epsilon);
      const double factor = inverse * @SCALE@, each = 1 / static_cast<double>(rows);
      // Now of the gradient and the normalized values.
      total.product *= inverse;
      coefficients[column] = convert<Real>(mean[column]);
      coefficients[columns + column] = static_cast<Real>(factor);
      coefficients[2 * columns + column] =
          static_cast<Real>(-factor * inverse * total.product * each);
      coefficients[3 * columns + column] =
          static_cast<Real>(centered ? -factor * total.sum * each : 0);
)text";

const char* const transform = R"text(
      const Index column = rest(i, packs) * pack;
@PACKS@
      const auto middle = load_pack<pack>(coefficients + column);
      const auto factor = load_pack<pack>(coefficients + columns + column);
      const auto constant = load_pack<pack>(coefficients + 2 * columns + column);
      Pack<Y, pack> result;
#pragma unroll
      for (int e = 0; e < pack; ++e)
        result.v[e] = convert<Y>(
            finished((streamed(e) - middle.v[e]) * factor.v[e] + constant.v[e], e));
      store_pack<pack>(result, y + i * pack);
)text";

const char* const derive = R"text(
      const Index column = rest(i, packs) * pack;
      const auto values = load_pack<pack>(x + i * pack);
@PACKS@
      const auto middle = load_pack<pack>(coefficients + column);
      const auto factor = load_pack<pack>(coefficients + columns + column);
      const auto slope = load_pack<pack>(coefficients + 2 * columns + column);
      const auto constant = load_pack<pack>(coefficients + 3 * columns + column);
      Pack<Dx, pack> result;
#pragma unroll
      for (int e = 0; e < pack; ++e)
        result.v[e] = convert<Dx>(finished(
            streamed(e) * factor.v[e] +
                (convert<Real>(values.v[e]) - middle.v[e]) * slope.v[e] + constant.v[e],
            e));
      store_pack<pack>(result, dx + i * pack);
)text";

}  // namespace cornu::backend::cuda::normalize_text
