// Running sums and products. Where lanes are many each has a thread; long lanes of a few have
// blocks, whose threads take a part each: first the parts' totals, then the running values. Where
// several blocks share a lane, their totals come first, then what comes before each.
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

// What comes before each thread of a block, in `totals`: the block has the elements of its lane
// from `first` on and before `last`.
constexpr const char* totals_text = R"text(
  CORNU_SHARED Sum totals[256];
  const Index lane = blockIdx.x, part = blockIdx.y;
  const Index outer = divide(lane, inner);
  const Index base = outer * n * inner.size + (lane - outer * inner.size);
  const Index first = part * length, last = first + length < n ? first + length : n;
  const Index portion = (length + 255) / 256;
  CORNU_EACH_THREAD {
    const Index begin = first + threadIdx.x * portion;
    const Index end = begin + portion < last ? begin + portion : last;
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
      @TOTAL@
    }
  }
)text";

constexpr const char* write_text = R"text(
  CORNU_BLOCK_BARRIER
  CORNU_EACH_THREAD {
    const Index begin = first + threadIdx.x * portion;
    const Index end = begin + portion < last ? begin + portion : last;
    Sum total = @BEFORE@;
    for (Index k = begin; k < end; ++k) {
      const Index at = base + (reverse ? n - 1 - k : k) * inner.size;
      total = combined(total, convert<Sum>(x[at]));
      out[at] = convert<To>(total);
    }
  }
)text";

// What comes before a block: the totals of the blocks in front of it, in ahead[0].
constexpr const char* ahead_text = R"text(
  CORNU_SHARED Sum ahead[256];
  CORNU_EACH_THREAD {
    Sum total = static_cast<Sum>(product);
    for (Index k = threadIdx.x; k < part; k += 256)
      total = combined(total, sums[lane * gridDim.y + k]);
    ahead[threadIdx.x] = total;
  }
  for (uint32 step = 128; step > 0; step /= 2) {
    CORNU_BLOCK_BARRIER
    CORNU_EACH_THREAD {
      if (threadIdx.x < step)
        ahead[threadIdx.x] = combined(ahead[threadIdx.x], ahead[threadIdx.x + step]);
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
  // Blocks of a lane: enough to fill a large device, of at least 4096 elements.
  const int64_t parts =
      by_block ? std::clamp<int64_t>(std::min((512 + lanes - 1) / lanes, n / 4096), 1, 512) : 1;
  const bool half = output.dtype == DType::float16 || output.dtype == DType::bfloat16;
  const auto begin = [&](bool writes) {
    KernelText text(x.shape->numel() + 512 * 256);
    text.type("Sum", half ? "float" : is_float(output.dtype) ? "double" : "uint64");
    text.constant("product", kernel.product ? 1 : 0);
    text.constant("reverse", kernel.reverse ? 1 : 0);
    text.type("From", x.dtype);
    text.pointer("x", 0, "const From");
    if (writes) {
      text.type("To", output.dtype);
      text.pointer("out", 1, "To");
    }
    if (parts > 1) text.pointer("sums", static_cast<int>(inputs.size() + outputs.size()), "Sum");
    text.divisor("inner", inner);
    text.index("n", n);
    if (by_block) text.index("length", (n + parts - 1) / parts);
    return text;
  };
  if (!by_block) {
    KernelText text = begin(true);
    text.index("count", lanes);
    plan.stages.push_back(text.stage("cumulative", functions,
                                     std::string(loop_begin) + lanes_text + loop_end,
                                     loop_blocks(lanes, options.multiprocessors)));
    return plan;
  }
  if (parts > 1) {
    plan.workspace_bytes = static_cast<size_t>(lanes * parts) * 8;
    plan.stages.push_back(begin(false).stage(
        "cumulative_parts", functions,
        with(totals_text, "@TOTAL@", "sums[lane * gridDim.y + part] = total;"), lanes, parts));
    plan.stages.push_back(begin(true).stage(
        "cumulative", functions,
        with(totals_text, "@TOTAL@", "") + ahead_text +
            with(write_text, "@BEFORE@", "combined(ahead[0], totals[threadIdx.x])"),
        lanes, parts));
    return plan;
  }
  plan.stages.push_back(begin(true).stage(
      "cumulative", functions,
      with(totals_text, "@TOTAL@", "") + with(write_text, "@BEFORE@", "totals[threadIdx.x]"),
      lanes));
  return plan;
}

}  // namespace cornu::backend::cuda
