// The code of normalisation kernels.
#include "normalize_text.h"

namespace cornu::backend::cuda::normalize_text {

const char* const functions = R"text(
/// How many values, their mean, and the sum of squared distances from it.
struct Moments { double count, mean, squares; };
CORNU_DEVICE Moments no_sums(Moments*) { return Moments{0, 0, 0}; }
CORNU_DEVICE Moments together(const Moments& a, const Moments& b) {
  const double count = a.count + b.count;
  if (b.count == 0) return a;
  const double share = b.count / count, delta = b.mean - a.mean;
  return Moments{count, a.mean + delta * share,
                 a.squares + b.squares + delta * delta * a.count * share};
}
/// Of the gradient, and of its products with the distances from the mean.
struct Products { double sum, product, unused; };
CORNU_DEVICE Products no_sums(Products*) { return Products{0, 0, 0}; }
CORNU_DEVICE Products together(const Products& a, const Products& b) {
  return Products{a.sum + b.sum, a.product + b.product, 0};
}

/// Moments of load(begin), load(begin + step), ... before `end`.
template <bool about_mean, class Load>
CORNU_DEVICE Moments moments(Index begin, Index end, Index step, const Load& load) {
  Moments total = {0, 0, 0};
  for (Index at = begin; at < end;) {
    const Real first = about_mean ? load(at) : static_cast<Real>(0);
    Real sum = 0, squares = 0;
    int n = 0;
    for (; n < 32 && at < end; ++n, at += step) {
      const Real distance = load(at) - first;
      sum += distance;
      squares += distance * distance;
    }
    const double count = n, shift = about_mean ? static_cast<double>(sum) / count : 0;
    total = together(total, Moments{count, static_cast<double>(first) + shift,
                                    static_cast<double>(squares) - shift * shift * count});
  }
  return total;
}

/// Sums of load(at, product) and of the products that it gives.
template <class Load>
CORNU_DEVICE Products products(Index begin, Index end, Index step, const Load& load) {
  Products total = {0, 0, 0};
  for (Index at = begin; at < end;) {
    Real sum = 0, products = 0;
    for (int n = 0; n < 32 && at < end; ++n, at += step) {
      Real product;
      sum += load(at, product);
      products += product;
    }
    total.sum += static_cast<double>(sum);
    total.product += static_cast<double>(products);
  }
  return total;
}
)text";

const char* const column_sums = R"text(
  CORNU_SHARED @SUMS@ shared[256];
  CORNU_EACH_THREAD {
    const Index column = static_cast<Index>(blockIdx.x) * width + threadIdx.x % width;
    @SUMS@ total = no_sums(static_cast<@SUMS@*>(0));
    if (column < columns) {
      const Index first = static_cast<Index>(blockIdx.y) * chunk;
      const Index begin = first + threadIdx.x / width;
      const Index end = first + chunk < rows ? first + chunk : rows;
      @COLLECT@
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
    if (threadIdx.x < width && column < columns)
      partial[static_cast<Index>(blockIdx.y) * columns + column] = shared[threadIdx.x];
  }
)text";

const char* const collect_moments = R"text(
      total = moments<centered != 0>(begin, end, lanes, [&](Index row) -> Real {
        return streamed(row * columns + column);
      });
)text";

const char* const collect_products = R"text(
      Real middle = 0;
      if constexpr (!by_rows) middle = convert<Real>(mean[column]);
      total = products(begin, end, lanes, [&](Index row, Real& product) -> Real {
        const Real gradient = streamed(row * columns + column);
        Real distance = convert<Real>(x[row * columns + column]);
        if constexpr (by_rows)
          distance = (distance - convert<Real>(mean[row])) /
                     sqrt(convert<Real>(variance[row]) + static_cast<Real>(epsilon));
        else
          distance -= middle;
        product = gradient * distance;
        return gradient;
      });
)text";

const char* const column_finish = R"text(
  CORNU_SHARED @SUMS@ shared[256];
  CORNU_EACH_THREAD {
    const Index column = static_cast<Index>(blockIdx.x) * width + threadIdx.x % width;
    @SUMS@ total = no_sums(static_cast<@SUMS@*>(0));
    if (column < columns)
      for (Index split = threadIdx.x / width; split < splits; split += lanes)
        total = together(total, partial[split * columns + column]);
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
      // Now of the gradient and the normalised values.
      total.product *= inverse;
      coefficients[column] = convert<Real>(mean[column]);
      coefficients[columns + column] = static_cast<Real>(factor);
      coefficients[2 * columns + column] =
          static_cast<Real>(-factor * inverse * total.product * each);
      coefficients[3 * columns + column] =
          static_cast<Real>(centered ? -factor * total.sum * each : 0);
)text";

const char* const transform = R"text(
      const Index column = rest(i, packs) * together;
@PACKS@
      const auto middle = load_pack<together>(coefficients + column);
      const auto factor = load_pack<together>(coefficients + columns + column);
      const auto constant = load_pack<together>(coefficients + 2 * columns + column);
      Pack<Y, together> result;
#pragma unroll
      for (int e = 0; e < together; ++e)
        result.v[e] = convert<Y>(
            finished((streamed(e) - middle.v[e]) * factor.v[e] + constant.v[e], e));
      store_pack<together>(result, y + i * together);
)text";

const char* const derive = R"text(
      const Index column = rest(i, packs) * together;
      const auto values = load_pack<together>(x + i * together);
@PACKS@
      const auto middle = load_pack<together>(coefficients + column);
      const auto factor = load_pack<together>(coefficients + columns + column);
      const auto slope = load_pack<together>(coefficients + 2 * columns + column);
      const auto constant = load_pack<together>(coefficients + 3 * columns + column);
      Pack<Dx, together> result;
#pragma unroll
      for (int e = 0; e < together; ++e)
        result.v[e] = convert<Dx>(finished(
            streamed(e) * factor.v[e] +
                (convert<Real>(values.v[e]) - middle.v[e]) * slope.v[e] + constant.v[e],
            e));
      store_pack<together>(result, dx + i * together);
)text";

const char* const rows_forward = R"text(
  CORNU_SHARED Moments shared[256];
  const Index row0 = static_cast<Index>(blockIdx.x) * (256 / lanes);
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    Moments total = {0, 0, 0};
    if (row < rows)
      total = moments<centered != 0>(threadIdx.x % lanes, columns, lanes, [&](Index i) -> Real {
        return streamed(row * columns + i);
      });
    shared[threadIdx.x] = total;
  }
  for (uint32 step = lanes / 2; step > 0; step /= 2) {
    @BARRIER@
    CORNU_EACH_THREAD {
      if (threadIdx.x % lanes < step)
        shared[threadIdx.x] = together(shared[threadIdx.x], shared[threadIdx.x + step]);
    }
  }
  @BARRIER@
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    if (row < rows) {
      const Moments& total = shared[threadIdx.x - threadIdx.x % lanes];
      const double spread = total.squares / static_cast<double>(columns);
      const Real middle = static_cast<Real>(total.mean);
      const Real factor = static_cast<Real>(1 / sqrt(spread + epsilon));
      for (Index column = threadIdx.x % lanes; column < columns; column += lanes) {
        const Index at = row * columns + column;
        y[at] = convert<Y>(
            finished((streamed(at) - middle) * factor * @SCALE@ + @OFFSET@, at));
      }
      if (threadIdx.x % lanes == 0) {
        mean[row] = convert<Mean>(total.mean);
        variance[row] = convert<Variance>(spread);
      }
    }
  }
)text";

const char* const rows_backward = R"text(
  CORNU_SHARED Products shared[256];
  const Index row0 = static_cast<Index>(blockIdx.x) * (256 / lanes);
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    Products total = {0, 0, 0};
    if (row < rows) {
      const Real middle = convert<Real>(mean[row]);
      const auto load = [&](Index column, Real& product) -> Real {
        const Real gradient = streamed(row * columns + column) * @SCALE@;
        product = gradient * (convert<Real>(x[row * columns + column]) - middle);
        return gradient;
      };
      total = products(threadIdx.x % lanes, columns, lanes, load);
    }
    shared[threadIdx.x] = total;
  }
  for (uint32 step = lanes / 2; step > 0; step /= 2) {
    @BARRIER@
    CORNU_EACH_THREAD {
      if (threadIdx.x % lanes < step)
        shared[threadIdx.x] = together(shared[threadIdx.x], shared[threadIdx.x + step]);
    }
  }
  @BARRIER@
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    if (row < rows) {
      const Products& total = shared[threadIdx.x - threadIdx.x % lanes];
      const double inverse = 1 / sqrt(convert<double>(variance[row]) + epsilon);
      const double each = 1 / static_cast<double>(columns);
      const Real middle = convert<Real>(mean[row]), factor = static_cast<Real>(inverse);
      const Real slope = static_cast<Real>(inverse * inverse * inverse * total.product * each);
      const Real constant = static_cast<Real>(centered ? inverse * total.sum * each : 0);
      for (Index column = threadIdx.x % lanes; column < columns; column += lanes) {
        const Index at = row * columns + column;
        const Real gradient = streamed(at) * @SCALE@;
        dx[at] = convert<Dx>(finished(
            gradient * factor - (convert<Real>(x[at]) - middle) * slope - constant, at));
      }
    }
  }
)text";

}  // namespace cornu::backend::cuda::normalize_text
