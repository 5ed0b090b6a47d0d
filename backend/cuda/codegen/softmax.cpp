// Softmax and log-softmax of rows: up to a warp of threads for a row, or a block for long ones. A
// thread keeps the largest of its elements and the sum of exponentials relative to that, a few
// elements at a time; then the threads of a row put theirs together.
#include <bit>

#include "codegen.h"
#include "kernel_text.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* softmax_functions = R"text(
struct Running { Real most, sum; };
/// exp(a - b), which is 1 for equal infinities.
CORNU_DEVICE Real ratio(Real a, Real b) { return exp(a == b ? static_cast<Real>(0) : a - b); }
/// exp(a) as a part of a sum whose largest part is 1: it may be wrong by some units in the last
/// place of 1, not of itself.
#ifdef CORNU_HOST
CORNU_DEVICE float part(float a) { return ::expf(a); }
#else
CORNU_DEVICE float part(float a) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a * 1.4426950408889634f));
  return result;
}
#endif
CORNU_DEVICE double part(double a) { return exp(a); }
/// The larger one, or what is a number.
CORNU_DEVICE float larger(float a, float b) { return ::fmaxf(a, b); }
CORNU_DEVICE double larger(double a, double b) { return ::fmax(a, b); }
template <int n>
CORNU_DEVICE void add(Running& total, const Real (&values)[n]) {
  Real most = total.most;
#pragma unroll
  for (int e = 0; e < n; ++e) most = larger(most, values[e]);
  // Relative to an infinity, infinities would be no numbers.
  const Real shift = is_inf(most) ? static_cast<Real>(0) : most;
  Real sum = total.sum * part(total.most - shift);
#pragma unroll
  for (int e = 0; e < n; ++e) sum += part(values[e] - shift);
  total.most = most;
  total.sum = sum;
}
/// A sum that is not a number stays so.
CORNU_DEVICE Running together(const Running& a, const Running& b) {
  const Real most = a.most < b.most || a.most != a.most ? b.most : a.most;
  return Running{most, a.sum * ratio(a.most, most) + b.sum * ratio(b.most, most)};
}
)text";

constexpr const char* find_totals = R"text(
  CORNU_SHARED Running shared[256];
  const Index row0 = static_cast<Index>(blockIdx.x) * (256 / lanes);
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    Running total = {lowest<Real>(), 0};
    if (row < rows) {
      const From* const from = x + row * n;
      Index i = threadIdx.x % lanes;
      for (; i + lanes < packs; i += 2 * lanes) {
        const auto low = load_pack<pack>(from + i * pack);
        const auto high = load_pack<pack>(from + (i + lanes) * pack);
        Real values[2 * pack];
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          values[e] = convert<Real>(low.v[e]);
          values[pack + e] = convert<Real>(high.v[e]);
        }
        add<2 * pack>(total, values);
      }
      if (i < packs) {
        const auto last = load_pack<pack>(from + i * pack);
        Real values[pack];
#pragma unroll
        for (int e = 0; e < pack; ++e) values[e] = convert<Real>(last.v[e]);
        add<pack>(total, values);
      }
    }
    shared[threadIdx.x] = total;
  }
  @FOLD@
)text";

constexpr const char* write_rows = R"text(
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    if (row < rows) {
      const Running total = shared[threadIdx.x - threadIdx.x % lanes];
      // Beside an infinity nothing has a share.
      const Real sum = is_inf(total.most) ? nan<Real>() : total.sum;
      const Real last = logarithm ? log(sum) : 1 / sum;
      const From* const from = x + row * n;
      To* const to = out + row * n;
#pragma unroll 2
      for (Index i = threadIdx.x % lanes; i < packs; i += lanes) {
        const auto values = load_pack<pack>(from + i * pack);
        Pack<To, pack> result;
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          const Real below = convert<Real>(values.v[e]) - total.most;
          result.v[e] = convert<To>(logarithm ? below - last : exp(below) * last);
        }
        store_pack<pack>(result, to + i * pack);
      }
    }
  }
)text";

constexpr const char* write_sums = R"text(
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    if (row < rows && threadIdx.x % lanes == 0) {
      const Running total = shared[threadIdx.x];
      const bool number = total.sum == total.sum;
      // Beside an infinity every other exponential is nothing, and that of the least one is none.
      const Real sum = is_inf(total.most) && number ? (total.most > 0 ? total.most : 0) : total.sum;
      largest[row] = convert<To>(number ? total.most : total.sum);
      sums[row] = convert<To>(sum);
    }
  }
)text";

}  // namespace

KernelPlan plan(const Softmax& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  KernelPlan plan;
  const Operand &x = inputs[0], &output = outputs[0];
  const int64_t numel = x.shape->numel();
  if (output.shape->numel() == 0) return plan;
  const int64_t n = x.shape->rank() == 0 ? 1 : x.shape->back(),
                rows = kernel.sums ? output.shape->numel() : numel / n;
  const bool long_rows = n > 1024 || (n > 256 && rows < 1024);
  int64_t pack = std::max<int64_t>(
      std::clamp(options.alignment, 1, 16) / static_cast<int64_t>(size_of(x.dtype)), 1);
  while (n % pack != 0) pack /= 2;
  const int64_t lanes =
      long_rows ? 256 : std::min<int64_t>(32, std::bit_ceil(static_cast<uint64_t>(n / pack)));
  KernelText text(numel + 256);
  text.type("From", x.dtype);
  text.type("To", output.dtype);
  text.type("Real", x.dtype == DType::float64 ? "double" : "float");
  if (!kernel.sums) text.constant("logarithm", kernel.log ? 1 : 0);
  text.constant("lanes", lanes);
  text.constant("pack", pack);
  text.index("packs", n / pack);
  text.pointer("x", 0, "const From");
  if (kernel.sums) {
    text.pointer("largest", 1, "To");
    text.pointer("sums", 2, "To");
  } else {
    text.pointer("out", 1, "To");
  }
  text.index("n", n);
  text.index("rows", rows);
  const std::string body = with(
      with(find_totals + std::string(kernel.sums ? write_sums : write_rows), "@FOLD@", fold_lanes),
      "@BARRIER@", long_rows ? "CORNU_BLOCK_BARRIER" : "CORNU_WARP_BARRIER");
  plan.stages.push_back(text.stage(kernel.sums ? "softmax_sums" : "softmax", softmax_functions,
                                   body, (rows + 256 / lanes - 1) / (256 / lanes)));
  return plan;
}

}  // namespace cornu::backend::cuda
