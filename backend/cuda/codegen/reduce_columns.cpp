// The kernel that sums up columns.
#include "reduce_columns.h"

#include <algorithm>
#include <bit>

#include "kernel_text.h"
#include "twofold.h"

namespace cornu::backend::cuda {
namespace {

constexpr int64_t wanted_column_blocks = 512;

// Sums of eight rows are taken in float, all others in Sum: double, or Twofold.
constexpr const char* body = R"text(
  CORNU_SHARED Sum shared[pack][256];
  CORNU_EACH_THREAD {
    const Index place = static_cast<Index>(blockIdx.x) * width + threadIdx.x % width;
    Sum totals[pack];
#pragma unroll
    for (int e = 0; e < pack; ++e) totals[e] = Sum{};
    if (place < packs) {
      const X* const from = x + place * pack;
      const Index begin = static_cast<Index>(blockIdx.y) * chunk;
      const Index end = begin + chunk < rows ? begin + chunk : rows;
      Index row = begin + threadIdx.x / width;
      for (; row + 7 * lanes < end; row += 8 * lanes) {
        Pack<X, pack> loaded[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) loaded[k] = load_pack<pack>(from + (row + k * lanes) * columns);
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          float sum = 0;
#pragma unroll
          for (int k = 0; k < 8; ++k) sum += convert<float>(loaded[k].v[e]);
          totals[e] = added(totals[e], sum);
        }
      }
      for (; row < end; row += lanes) {
        const auto loaded = load_pack<pack>(from + row * columns);
#pragma unroll
        for (int e = 0; e < pack; ++e) totals[e] = added(totals[e], convert<float>(loaded.v[e]));
      }
    }
#pragma unroll
    for (int e = 0; e < pack; ++e) shared[e][threadIdx.x] = totals[e];
  }
  @FOLD@
  CORNU_EACH_THREAD {
    const Index place = static_cast<Index>(blockIdx.x) * width + threadIdx.x;
    if (threadIdx.x < width && place < packs)
      for (int e = 0; e < pack; ++e)
        partial[static_cast<Index>(blockIdx.y) * columns + place * pack + e] = shared[e][threadIdx.x];
  }
)text";

}  // namespace

std::optional<ColumnSums> column_sums(const Reduce& kernel, const IndexSpace& space,
                                      std::span<const Operand> inputs) {
  if (kernel.op != ReduceOp::sum || kernel.compute != DType::float32 || inputs.size() != 1 ||
      !is_float(inputs[0].dtype) || size_of(inputs[0].dtype) > 4 ||
      kernel.program->passes(0) != 0 || space.axes.size() != 2 || !space.axes[0].reduced ||
      space.axes[1].reduced)
    return {};
  ColumnSums sums{};
  sums.rows = space.axes[0].size;
  sums.columns = space.axes[1].size;
  sums.pack = 16 / static_cast<int64_t>(size_of(inputs[0].dtype));
  if (sums.rows == 0 || sums.columns % sums.pack != 0 || space.axes[1].strides[0] != 1 ||
      space.axes[0].strides[0] != sums.columns)
    return {};
  const int64_t packs = sums.columns / sums.pack;
  sums.width =
      std::min<int64_t>(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(packs))), 32);
  sums.lanes = Stage::block / sums.width;
  const int64_t across = (packs + sums.width - 1) / sums.width;
  sums.splits =
      std::min((wanted_column_blocks + across - 1) / across, sums.rows / (sums.lanes * 8));
  if (sums.splits < 2) return {};
  sums.chunk = (sums.rows + sums.splits - 1) / sums.splits;
  sums.splits = (sums.rows + sums.chunk - 1) / sums.chunk;
  return sums;
}

Stage column_sums_stage(const ColumnSums& sums, DType dtype, int workspace, bool twofold) {
  KernelText text(sums.rows * sums.columns + sums.splits * sums.columns + 4096);
  text.type("X", dtype);
  text.constant("pack", sums.pack);
  text.constant("width", sums.width);
  text.constant("lanes", sums.lanes);
  text.pointer("x", 0, "const X");
  text.pointer("partial", workspace, twofold ? "Twofold" : "double");
  text.index("rows", sums.rows);
  text.index("columns", sums.columns);
  text.index("packs", sums.columns / sums.pack);
  text.index("chunk", sums.chunk);
  const int64_t across = (sums.columns / sums.pack + sums.width - 1) / sums.width;
  const std::string functions = twofold ? std::string(twofold_text) + "typedef Twofold Sum;\n"
                                        : std::string(double_text) + "typedef double Sum;\n";
  return text.stage("reduce_columns", functions, with(body, "@FOLD@", fold_columns), across,
                    sums.splits);
}

}  // namespace cornu::backend::cuda
