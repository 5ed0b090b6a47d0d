// Texts of kernels that normalize rows, and that give their gradients.
#include "normalize_text.h"

namespace cornu::backend::cuda::normalize_text {

const char* const rows_forward = R"text(
  CORNU_SHARED Moments shared[256];
  const Index row0 = static_cast<Index>(blockIdx.x) * (256 / lanes);
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    Moments total = {0, 0, 0};
    if (row < rows) {
      moments<centered != 0, pack, true>(threadIdx.x % lanes, packs, lanes, [&](Index place, Real* values) {
        const Index i = row * packs + place;
@PACKS@
#pragma unroll
        for (int e = 0; e < pack; ++e) values[e] = streamed(e);
      }, &total);
    }
    shared[threadIdx.x] = total;
  }
  @FOLD@
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    if (row < rows) {
      const Moments& total = shared[threadIdx.x - threadIdx.x % lanes];
      const double spread = total.squares / static_cast<double>(columns);
      const Real middle = static_cast<Real>(total.mean);
      const Real factor = static_cast<Real>(1 / sqrt(spread + epsilon));
#pragma unroll 2
      for (Index place = threadIdx.x % lanes; place < packs; place += lanes) {
        const Index i = row * packs + place;
@PACKS_WRITTEN@
        Pack<Y, pack> result;
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          result.v[e] = convert<Y>(
              finished((streamed(e) - middle) * factor * @SCALE@ + @OFFSET@, e));
        }
        store_pack<pack>(result, y + i * pack);
      }
      if (threadIdx.x % lanes == 0) {
        mean[row] = convert<Mean>(total.mean);
        variance[row] = convert<Variance>(spread);
      }
    }
  }
)text";

// The same for rows that a warp's or a block's registers hold, `each` packs in every thread: read
// once. Each thread takes the moments of its own elements about their mean.
const char* const rows_forward_held = R"text(
  CORNU_SHARED Moments shared[256];
  Private<Real, each * pack> row_values;
  constexpr int own_count = each * pack;
  const Index row0 = static_cast<Index>(blockIdx.x) * (256 / lanes);
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    Moments total = {0, 0, 0};
    if (row < rows) {
      Real* const values = row_values.own();
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const Index i = row * packs + threadIdx.x % lanes + lanes * j;
@PACKS@
#pragma unroll
        for (int e = 0; e < pack; ++e) values[j * pack + e] = streamed(e);
      }
      Real middle = 0;
      if constexpr (centered) {
        Real sum = 0;
#pragma unroll
        for (int k = 1; k < own_count; ++k) sum += values[k] - values[0];
        middle = values[0] + sum * static_cast<Real>(1.0 / own_count);
      }
      // The mean was rounded, which what is left makes good.
      Real left = 0, squares = 0;
#pragma unroll
      for (int k = 0; k < own_count; ++k) {
        const Real distance = values[k] - middle;
        left += distance;
        squares += distance * distance;
      }
      const double missed = centered ? static_cast<double>(left) * (1.0 / own_count) : 0;
      total = Moments{own_count, static_cast<double>(middle) + missed,
                      static_cast<double>(squares) - missed * missed * own_count};
    }
    shared[threadIdx.x] = total;
  }
  @FOLD@
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    if (row < rows) {
      const Real* const values = row_values.own();
      const Moments& total = shared[threadIdx.x - threadIdx.x % lanes];
      const double spread = total.squares / static_cast<double>(columns);
      const Real middle = static_cast<Real>(total.mean);
      const Real factor = static_cast<Real>(1 / sqrt(spread + epsilon));
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const Index place = threadIdx.x % lanes + lanes * j, i = row * packs + place;
@PACKS_WRITTEN@
        Pack<Y, pack> result;
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          result.v[e] = convert<Y>(
              finished((values[j * pack + e] - middle) * factor * @SCALE@ + @OFFSET@, e));
        }
        store_pack<pack>(result, y + i * pack);
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
      Products totals[pack];
      products<pack>(threadIdx.x % lanes, packs, lanes, [&](Index place, Real* values, Real* parts) {
        const Index i = row * packs + place;
        const auto xs = load_pack<pack>(x + i * pack);
@PACKS@
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          values[e] = streamed(e) * @SCALE@;
          parts[e] = values[e] * (convert<Real>(xs.v[e]) - middle);
        }
      }, totals);
      total = totals[0];
#pragma unroll
      for (int e = 1; e < pack; ++e) total = together(total, totals[e]);
    }
    shared[threadIdx.x] = total;
  }
  @FOLD@
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    if (row < rows) {
      const Products& total = shared[threadIdx.x - threadIdx.x % lanes];
      const double inverse = 1 / sqrt(convert<double>(variance[row]) + epsilon);
      const double each = 1 / static_cast<double>(columns);
      const Real middle = convert<Real>(mean[row]), factor = static_cast<Real>(inverse);
      const Real slope = static_cast<Real>(inverse * inverse * inverse * total.product * each);
      const Real constant = static_cast<Real>(centered ? inverse * total.sum * each : 0);
#pragma unroll 2
      for (Index place = threadIdx.x % lanes; place < packs; place += lanes) {
        const Index i = row * packs + place;
        const auto xs = load_pack<pack>(x + i * pack);
@PACKS_WRITTEN@
        Pack<Dx, pack> result;
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          const Real gradient = streamed(e) * @SCALE@;
          result.v[e] = convert<Dx>(finished(
              gradient * factor - (convert<Real>(xs.v[e]) - middle) * slope - constant, e));
        }
        store_pack<pack>(result, dx + i * pack);
      }
    }
  }
)text";

// A warp takes a row at a time, `each` packs of it in every lane, which stay in registers. So do
// the sums over the block's rows; at the end those of the block's warps are put together.
const char* const rows_backward_with_sums = R"text(
  CORNU_SHARED Products shared[256];
  CORNU_SHARED Real of_columns[2][pack][256];
  Private<Real, 2 * each * pack> sums, row_values;
  const Index first = static_cast<Index>(blockIdx.x) * chunk;
  const Index end = first + chunk < rows ? first + chunk : rows;
  CORNU_EACH_THREAD {
#pragma unroll
    for (int e = 0; e < 2 * each * pack; ++e) sums.own()[e] = 0;
  }
  for (Index row0 = first; row0 < end; row0 += 8) {
    CORNU_WARP_BARRIER
    CORNU_EACH_THREAD {
      const Index row = row0 + threadIdx.x / 32;
      Real* const gradients = row_values.own();
      Real* const distances = gradients + each * pack;
      Real sum = 0, product = 0;
      if (row < end) {
        const Real middle = convert<Real>(mean[row]);
#pragma unroll
        for (int j = 0; j < each; ++j) {
          const Index place = threadIdx.x % 32 + 32 * j, i = row * packs + place;
          const auto xs = load_pack<pack>(x + i * pack);
@PACKS@
#pragma unroll
          for (int e = 0; e < pack; ++e) {
            const Real distance = convert<Real>(xs.v[e]) - middle, unscaled = streamed(e);
            const Real gradient = unscaled * @SCALE@;
            gradients[j * pack + e] = unscaled;
            distances[j * pack + e] = distance;
            sum += gradient;
            product += gradient * distance;
          }
        }
      }
      shared[threadIdx.x] = Products{static_cast<double>(sum), static_cast<double>(product), 0};
    }
    @FOLD@
    CORNU_EACH_THREAD {
      const Index row = row0 + threadIdx.x / 32;
      const Real* const gradients = row_values.own();
      const Real* const distances = gradients + each * pack;
      Real* const own = sums.own();
      if (row < end) {
        const Products& total = shared[threadIdx.x - threadIdx.x % 32];
        const double inverse = 1 / sqrt(convert<double>(variance[row]) + epsilon);
        const double part = 1 / static_cast<double>(columns);
        const Real factor = static_cast<Real>(inverse);
        const Real slope = static_cast<Real>(inverse * inverse * inverse * total.product * part);
        const Real constant = static_cast<Real>(centered ? inverse * total.sum * part : 0);
#pragma unroll
        for (int j = 0; j < each; ++j) {
          const Index place = threadIdx.x % 32 + 32 * j, i = row * packs + place;
@PACKS_WRITTEN@
          Pack<Dx, pack> result;
#pragma unroll
          for (int e = 0; e < pack; ++e) {
            const Real unscaled = gradients[j * pack + e], distance = distances[j * pack + e];
            result.v[e] = convert<Dx>(
                finished(unscaled * @SCALE@ * factor - distance * slope - constant, e));
            own[j * pack + e] += unscaled;
            own[(each + j) * pack + e] += unscaled * distance * factor;
          }
          store_pack<pack>(result, dx + i * pack);
        }
      }
    }
  }
#pragma unroll
  for (int j = 0; j < each; ++j) {
    CORNU_BLOCK_BARRIER
    CORNU_EACH_THREAD {
#pragma unroll
      for (int e = 0; e < pack; ++e) {
        of_columns[0][e][threadIdx.x] = sums.own()[j * pack + e];
        of_columns[1][e][threadIdx.x] = sums.own()[(each + j) * pack + e];
      }
    }
    CORNU_BLOCK_BARRIER
    CORNU_EACH_THREAD {
      const uint32 lane = threadIdx.x % 32, e = threadIdx.x / 32;
      if (e < pack) {
        Products total = {0, 0, 0};
        for (uint32 warp = 0; warp < 8; ++warp) {
          total.sum += static_cast<double>(of_columns[0][e][warp * 32 + lane]);
          total.product += static_cast<double>(of_columns[1][e][warp * 32 + lane]);
        }
        partial[static_cast<Index>(blockIdx.x) * columns + (lane + 32 * j) * pack + e] = total;
      }
    }
  }
)text";

}  // namespace cornu::backend::cuda::normalize_text
