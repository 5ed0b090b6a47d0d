// Softmax and log-softmax of rows: up to a warp of threads for a row, or a block for long ones. A
// thread keeps the largest of its elements and the sum of exponentials relative to that; then the
// threads of a row put theirs together.
#include <bit>

#include "codegen.h"
#include "kernel_text.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* functions = R"text(
struct Running { Real most, sum; };
/// exp(a - b), which is 1 for equal infinities.
CORNU_DEVICE Real ratio(Real a, Real b) { return a == b ? static_cast<Real>(1) : exp(a - b); }
CORNU_DEVICE void add(Running& total, Real x) {
  if (x <= total.most) {
    total.sum += ratio(x, total.most);
  } else {
    total.sum = total.sum * ratio(total.most, x) + 1;
    total.most = x;
  }
}
/// A sum that is not a number stays so.
CORNU_DEVICE Running together(const Running& a, const Running& b) {
  const Real most = a.most < b.most || a.most != a.most ? b.most : a.most;
  return Running{most, a.sum * ratio(a.most, most) + b.sum * ratio(b.most, most)};
}
)text";

constexpr const char* text_of_rows = R"text(
  CORNU_SHARED Running shared[256];
  const Index row0 = static_cast<Index>(blockIdx.x) * (256 / lanes);
  CORNU_EACH_THREAD {
    const Index row = row0 + threadIdx.x / lanes;
    Running total = {lowest<Real>(), 0};
    if (row < rows) {
      const From* const from = x + row * n;
      for (Index i = threadIdx.x % lanes; i < n; i += lanes) add(total, convert<Real>(from[i]));
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
      const Running total = shared[threadIdx.x - threadIdx.x % lanes];
      // Beside an infinity nothing has a share.
      const Real sum = is_inf(total.most) ? nan<Real>() : total.sum;
      const Real last = logarithm ? log(sum) : 1 / sum;
      const From* const from = x + row * n;
      To* const to = out + row * n;
      for (Index i = threadIdx.x % lanes; i < n; i += lanes) {
        const Real below = convert<Real>(from[i]) - total.most;
        to[i] = convert<To>(logarithm ? below - last : exp(below) * last);
      }
    }
  }
)text";

}  // namespace

KernelPlan plan(const Softmax& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions&) {
  KernelPlan plan;
  const Operand &x = inputs[0], &output = outputs[0];
  const int64_t numel = x.shape->numel();
  if (numel == 0) return plan;
  const int64_t n = x.shape->rank() == 0 ? 1 : x.shape->back(), rows = numel / n;
  const bool long_rows = n > 1024 || (n > 256 && rows < 1024);
  const int64_t lanes =
      long_rows ? 256 : std::min<int64_t>(32, std::bit_ceil(static_cast<uint64_t>(n)));
  KernelText text(numel + 256);
  text.type("From", x.dtype);
  text.type("To", output.dtype);
  text.type("Real", x.dtype == DType::float64 ? "double" : "float");
  text.constant("logarithm", kernel.log ? 1 : 0);
  text.constant("lanes", lanes);
  text.pointer("x", 0, "const From");
  text.pointer("out", 1, "To");
  text.index("n", n);
  text.index("rows", rows);
  std::string body = text_of_rows;
  const std::string barrier = long_rows ? "CORNU_BLOCK_BARRIER" : "CORNU_WARP_BARRIER";
  for (size_t at = body.find("@BARRIER@"); at != std::string::npos; at = body.find("@BARRIER@"))
    body.replace(at, 9, barrier);
  plan.stages.push_back(
      text.stage("softmax", functions, body, (rows + 256 / lanes - 1) / (256 / lanes)));
  return plan;
}

}  // namespace cornu::backend::cuda
