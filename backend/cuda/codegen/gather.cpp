// Gathers: a thread for each unit of the output, up to 16 bytes of a slice.
#include "codegen.h"
#include "indexing.h"
#include "kernel_text.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* gather_functions = R"text(
CORNU_DEVICE Index picked(Position index, Index n) {
  const int64 at = index < 0 ? static_cast<int64>(index) + static_cast<int64>(n) : index;
  if (at < 0) return 0;
  return at >= static_cast<int64>(n) ? n - 1 : static_cast<Index>(at);
}
)text";

}  // namespace

KernelPlan plan(const Gather& kernel, std::span<const Operand> inputs, std::span<const Operand>,
                const PlanOptions& options) {
  KernelPlan plan;
  const Operand &x = inputs[0], &indices = inputs[1];
  IndexedAxes axes(*x.shape, *indices.shape, kernel.axis, kernel.along);
  int64_t total = axes.outer * axes.count * axes.inner;
  if (total == 0) return plan;
  size_t unit = size_of(x.dtype);
  if (!kernel.along)
    while (unit < 16 && axes.inner % 2 == 0 &&
           options.alignment % static_cast<int>(2 * unit) == 0) {
      unit *= 2;
      axes.inner /= 2;
      total /= 2;
    }
  KernelText text(std::max({total, axes.outer * axes.n * axes.inner, indices.shape->numel()}));
  text.type("Unit", unit_text(unit));
  text.pointer("out", 2, "Unit");
  text.index("count", total);
  std::string body;
  if (axes.n == 0) {  // there is nothing to pick from
    body = "out[i] = Unit{};\n";
    text.type("Position", "int");
  } else {
    text.type("Position", type_text(indices.dtype));
    text.pointer("in", 0, "const Unit");
    text.pointer("indices", 1, "const Position");
    text.divisor("inner", axes.inner);
    text.divisor("picks", axes.count);
    text.index("n", axes.n);
    body = std::string(
               "const Index row = divide(i, inner), column = i - row * inner.size;\n"
               "const Index outer = divide(row, picks);\n") +
           (kernel.along ? "const Position index = indices[i];\n"
                         : "const Position index = indices[row - outer * picks.size];\n") +
           "out[i] = in[(outer * n + picked(index, n)) * inner.size + column];\n";
  }
  plan.stages.push_back(text.stage("gather", gather_functions,
                                   std::string(loop_begin) + body + loop_end,
                                   loop_blocks(total, options.multiprocessors)));
  return plan;
}

}  // namespace cornu::backend::cuda
