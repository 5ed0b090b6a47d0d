// A block computes a tile of results. It goes along k in steps of 16, for which both operands are
// brought to shared memory; a thread keeps up to 4 x 4 sums in registers. Where there are too few
// tiles, blocks share k, and a second kernel adds up their results in order. Of a tiny product each
// result has a few threads of its own, which load all of their operands at once: what such a kernel
// costs is the waits for memory and for each other.
#include "product_stages.h"

#include <algorithm>

#include "codegen.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* product_functions = R"text(
constexpr int tile_k = 16, tile_m = 16 * rows_each, tile_n = 16 * columns_each;
)text";

constexpr const char* product_tile_text = R"text(
  CORNU_SHARED Real a_tile[tile_k][tile_m + 4];
  CORNU_SHARED Real b_tile[tile_k][tile_n + 4];
  const Index tile_row = divide(static_cast<Index>(blockIdx.x), across);
  const Index m0 = tile_row * tile_m;
  const Index n0 = (static_cast<Index>(blockIdx.x) - tile_row * across.size) * tile_n;
  Private<Real, rows_each * columns_each> sums;
  for (Index part = blockIdx.y; part < parts; part += gridDim.y) {
    const Index slice = divide(part, splits);
    const Index k_begin = (part - slice * splits.size) * chunk;
    const Index k_end = k_begin + chunk < k_size ? k_begin + chunk : k_size;
    @SLICE@
    const auto load_a = [&](Index m, Index k) -> Real { @A@ };
    const auto load_b = [&](Index k, Index n) -> Real { @B@ };
    CORNU_EACH_THREAD {
      Real* const own = sums.own();
#pragma unroll
      for (int e = 0; e < rows_each * columns_each; ++e) own[e] = 0;
    }
    for (Index k0 = k_begin; k0 < k_end; k0 += tile_k) {
      CORNU_BLOCK_BARRIER
      CORNU_EACH_THREAD {
#pragma unroll
        for (int t = 0; t < rows_each; ++t) {
          const int e = static_cast<int>(threadIdx.x) + t * 256;
          const int k = a_along_k ? e % tile_k : e / tile_m;
          const int m = a_along_k ? e / tile_k : e % tile_m;
          a_tile[k][m] = m0 + m < m_size && k0 + k < k_end ? load_a(m0 + m, k0 + k) : 0;
        }
#pragma unroll
        for (int t = 0; t < columns_each; ++t) {
          const int e = static_cast<int>(threadIdx.x) + t * 256;
          const int k = b_along_n ? e / tile_n : e % tile_k;
          const int n = b_along_n ? e % tile_n : e / tile_k;
          b_tile[k][n] = n0 + n < n_size && k0 + k < k_end ? load_b(k0 + k, n0 + n) : 0;
        }
      }
      CORNU_BLOCK_BARRIER
      CORNU_EACH_THREAD {
        Real* const own = sums.own();
        const int row = static_cast<int>(threadIdx.x) / 16 * rows_each;
        const int column = static_cast<int>(threadIdx.x) % 16;
#pragma unroll
        for (int k = 0; k < tile_k; ++k) {
          Real a[rows_each], b[columns_each];
#pragma unroll
          for (int r = 0; r < rows_each; ++r) a[r] = a_tile[k][row + r];
#pragma unroll
          for (int c = 0; c < columns_each; ++c) b[c] = b_tile[k][column + 16 * c];
#pragma unroll
          for (int r = 0; r < rows_each; ++r)
#pragma unroll
            for (int c = 0; c < columns_each; ++c) own[r * columns_each + c] += a[r] * b[c];
        }
      }
    }
    CORNU_EACH_THREAD {
      Real* const own = sums.own();
#pragma unroll
      for (int r = 0; r < rows_each; ++r)
#pragma unroll
        for (int c = 0; c < columns_each; ++c) {
          const Index m = m0 + static_cast<int>(threadIdx.x) / 16 * rows_each + r;
          const Index n = n0 + static_cast<int>(threadIdx.x) % 16 + 16 * c;
          if (m < m_size && n < n_size) {
            Real value = own[r * columns_each + c];
            @STORE@
          }
        }
    }
  }
)text";

// A few threads for each result.
constexpr const char* result_text = R"text(
  CORNU_SHARED Real shared[256];
  const Index first = static_cast<Index>(blockIdx.x) * (256 / lanes);
  CORNU_EACH_THREAD {
    const Index i = first + threadIdx.x / lanes;
    Real sum = 0;
    if (i < count) {
      const Index row = divide(i, columns), n = i - row * columns.size;
      const Index slice = divide(row, rows), m = row - slice * rows.size;
      @SUM@
    }
    shared[threadIdx.x] = sum;
  }
  for (uint32 step = lanes / 2; step > 0; step /= 2) {
    CORNU_WARP_BARRIER
    CORNU_EACH_THREAD {
      if (threadIdx.x % lanes < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    }
  }
  CORNU_EACH_THREAD {
    const Index i = first + threadIdx.x / lanes;
    if (threadIdx.x % lanes == 0 && i < count) {
      const Index row = divide(i, columns), n = i - row * columns.size;
      const Index slice = divide(row, rows), m = row - slice * rows.size;
      Real value = shared[threadIdx.x];
      @SLICE@
      @STORE@
    }
  }
)text";

constexpr const char* products_text = R"text(
      @SLICE@
      const auto load_a = [&](Index m, Index k) -> Real { @A@ };
      const auto load_b = [&](Index k, Index n) -> Real { @B@ };
      Index k = threadIdx.x % lanes;
      // Loads that do not wait for each other.
      for (; k + 3 * lanes < k_size; k += 4 * lanes) {
        Real a[4], b[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          a[e] = load_a(m, k + e * lanes);
          b[e] = load_b(k + e * lanes, n);
        }
#pragma unroll
        for (int e = 0; e < 4; ++e) sum += a[e] * b[e];
      }
      for (; k < k_size; k += lanes) sum += load_a(m, k) * load_b(k, n);
)text";

constexpr const char* partials_text = R"text(
      const Real* const from = partial + (slice * splits * rows.size + m) * columns.size + n;
      const Index step = rows.size * columns.size;
      Index split = threadIdx.x % lanes;
      for (; split + 7 * lanes < splits; split += 8 * lanes) {
        Real parts[8];
#pragma unroll
        for (int e = 0; e < 8; ++e) parts[e] = from[(split + e * lanes) * step];
#pragma unroll
        for (int e = 0; e < 8; ++e) sum += parts[e];
      }
      for (; split < splits; split += lanes) sum += from[split * step];
)text";

// Adds a stage that sums up `terms` for each result, by the lines `sum`; `declare` names what these
// read.
void add_result_stage(KernelPlan& plan, const ProductTask& task, const std::string& kind,
                      const std::string& sum, int64_t terms,
                      const std::function<void(KernelText&)>& declare) {
  const int64_t results = task.slices * task.m * task.n;
  int64_t lanes = 1;
  while (lanes < 32 && lanes * 4 < terms) lanes *= 2;
  KernelText text(std::max(task.largest, results * terms) + 4096);
  text.type("Real", task.real);
  text.constant("lanes", lanes);
  task.declare(text);
  declare(text);
  text.divisor("rows", task.m);
  text.divisor("columns", task.n);
  text.index("count", results);
  const std::string body = with(
      with(with(result_text, "@SUM@", sum), "@SLICE@", task.of_slice(text)), "@STORE@", task.store);
  const int64_t of_block = 256 / lanes;
  plan.stages.push_back(
      text.stage(task.kind + kind, "", body, (results + of_block - 1) / of_block));
}

}  // namespace

void add_product(KernelPlan& plan, const ProductTask& task) {
  const int64_t results = task.slices * task.m * task.n;
  if (results * task.k <= tiny_product) {
    const std::string sum = with(with(products_text, "@A@", task.load_a), "@B@", task.load_b);
    return add_result_stage(plan, task, "_tiny", sum, task.k,
                            [&](KernelText& text) { text.index("k_size", task.k); });
  }
  const auto ceil = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const int64_t rows_each = task.m <= 16 ? 1 : 4, columns_each = task.n <= 16 ? 1 : 4;
  const int64_t down = ceil(task.m, 16 * rows_each), across = ceil(task.n, 16 * columns_each);
  constexpr int64_t wanted_blocks = 264, least_chunk = 256, most_splits = 256;
  const int64_t blocks = std::max<int64_t>(down * across * task.slices, 1);
  int64_t splits =
      std::clamp<int64_t>(std::min(wanted_blocks / blocks, task.k / least_chunk), 1, most_splits);
  const int64_t chunk = std::max<int64_t>(ceil(ceil(task.k, splits), 16) * 16, 16);
  splits = std::max<int64_t>(ceil(task.k, chunk), 1);
  KernelText text(std::max({task.largest, results * splits, task.k * 2}) + 4096);
  text.type("Real", task.real);
  text.constant("rows_each", rows_each);
  text.constant("columns_each", columns_each);
  text.constant("a_along_k", task.a_along_k ? 1 : 0);
  text.constant("b_along_n", task.b_along_n ? 1 : 0);
  task.declare(text);
  text.divisor("across", across);
  text.divisor("splits", splits);
  text.index("parts", task.slices * splits);
  text.index("chunk", chunk);
  text.index("m_size", task.m);
  text.index("n_size", task.n);
  text.index("k_size", task.k);
  const size_t at = plan.workspace_bytes;
  std::string body = with(with(product_tile_text, "@A@", task.load_a), "@B@", task.load_b);
  body = with(body, "@SLICE@", task.of_slice(text));
  if (splits > 1) {
    text.pointer("partial", task.workspace, "Real", at);
    body = with(body, "@STORE@", "partial[(part * m_size + m) * n_size + n] = value;");
  } else {
    body = with(body, "@STORE@", task.store);
  }
  plan.stages.push_back(
      text.stage(task.kind, product_functions, body, down * across, task.slices * splits));
  if (splits == 1) return;
  plan.workspace_bytes +=
      (static_cast<size_t>(results * splits) * size_of(task.real) + 15) / 16 * 16;
  add_partial_sums(plan, task, splits, at);
}

void add_partial_sums(KernelPlan& plan, const ProductTask& task, int64_t splits, size_t at) {
  add_result_stage(plan, task, "_sum", partials_text, splits, [&](KernelText& text) {
    text.pointer("partial", task.workspace, "const Real", at);
    text.index("splits", splits);
  });
}

}  // namespace cornu::backend::cuda
