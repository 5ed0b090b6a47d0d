// Running sums and products. Where lanes are many each has a thread; long lanes of a few have a
// block, whose threads take a part each: first the parts' totals, then the running values.
#include "codegen.h"
#include "kernel_text.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* functions = R"text(
CORNU_DEVICE Sum combined(Sum total, Sum value) {
  return product ? total * value : total + value;
}
)text";

constexpr const char* lanes_text = R"text(
      const Index outer = divide(i, inner);
      const Index base = outer * n * inner.size + (i - outer * inner.size);
      Sum total = static_cast<Sum>(product);
      for (Index k = 0; k < n; ++k) {
        const Index at = base + (reverse ? n - 1 - k : k) * inner.size;
        total = combined(total, convert<Sum>(x[at]));
        out[at] = convert<To>(total);
      }
)text";

constexpr const char* blocks_text = R"text(
  CORNU_SHARED Sum totals[256];
  const Index lane = blockIdx.x;
  const Index outer = divide(lane, inner);
  const Index base = outer * n * inner.size + (lane - outer * inner.size);
  CORNU_EACH_THREAD {
    const Index begin = threadIdx.x * share, end = begin + share < n ? begin + share : n;
    Sum total = static_cast<Sum>(product);
    for (Index k = begin; k < end; ++k)
      total = combined(total, convert<Sum>(x[base + (reverse ? n - 1 - k : k) * inner.size]));
    totals[threadIdx.x] = total;
  }
  CORNU_BLOCK_BARRIER
  CORNU_EACH_THREAD {
    if (threadIdx.x == 0) {
      Sum total = static_cast<Sum>(product);
      for (int k = 0; k < 256; ++k) {
        const Sum own = totals[k];
        totals[k] = total;
        total = combined(total, own);
      }
    }
  }
  CORNU_BLOCK_BARRIER
  CORNU_EACH_THREAD {
    const Index begin = threadIdx.x * share, end = begin + share < n ? begin + share : n;
    Sum total = totals[threadIdx.x];
    for (Index k = begin; k < end; ++k) {
      const Index at = base + (reverse ? n - 1 - k : k) * inner.size;
      total = combined(total, convert<Sum>(x[at]));
      out[at] = convert<To>(total);
    }
  }
)text";

}  // namespace

KernelPlan plan(const Cumulative& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  KernelPlan plan;
  const Operand &x = inputs[0], &output = outputs[0];
  int64_t outer = 1, n = 1, inner = 1;
  for (int i = 0; i < x.shape->rank(); ++i)
    (i < kernel.axis ? outer : i == kernel.axis ? n : inner) *= (*x.shape)[i];
  if (outer * n * inner == 0) return plan;
  const int64_t lanes = outer * inner;
  const bool by_block = n >= 1024 && lanes < 8192;
  KernelText text(x.shape->numel() + 512);
  text.type("From", x.dtype);
  text.type("To", output.dtype);
  const bool half = output.dtype == DType::float16 || output.dtype == DType::bfloat16;
  text.type("Sum", half ? "float" : is_float(output.dtype) ? "double" : "uint64");
  text.constant("product", kernel.product ? 1 : 0);
  text.constant("reverse", kernel.reverse ? 1 : 0);
  text.pointer("x", 0, "const From");
  text.pointer("out", 1, "To");
  text.divisor("inner", inner);
  text.index("n", n);
  if (by_block) {
    text.index("share", (n + 255) / 256);
    plan.stages.push_back(text.stage("cumulative", functions, blocks_text, lanes));
  } else {
    text.index("count", lanes);
    plan.stages.push_back(text.stage("cumulative", functions,
                                     std::string(loop_begin) + lanes_text + loop_end,
                                     loop_blocks(lanes, options.multiprocessors)));
  }
  return plan;
}

}  // namespace cornu::backend::cuda
