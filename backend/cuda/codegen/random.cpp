// Random draws: element i depends on the key and on i only.
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "../../error.h"
#include "../../randint.h"
#include "codegen.h"
#include "index_space.h"
#include "prelude.h"
#include "program_text.h"

namespace cornu::backend::cuda {
namespace {

bool can_draw(Distribution distribution, DType dtype) {
  switch (distribution) {
    case Distribution::bits:
      return is_unsigned_int(dtype);
    case Distribution::bernoulli:
      return dtype == DType::boolean;
    case Distribution::randint:
      return is_int(dtype);
    default:
      return is_float(dtype);
  }
}

int64_t saturated(double value) {
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return value > -0x1p63 ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
}

/// Bounds of the uniform draw under a normal one, and the limit of its result: the values of the
/// type next to -1 and to 2, both towards 0, and erf(2 / sqrt(2)) and twice that as JAX has them.
struct NormalNumbers {
  double low, range, limit;
};
NormalNumbers normal_numbers(DType dtype, bool truncated) {
  struct Row {
    double above_minus_one, below_two, erf_sqrt2;
  };
  const Row row = dtype == DType::float64
                      ? Row{-0x1.fffffffffffffp-1, 0x1.fffffffffffffp0, 0.9544997361036416}
                  : dtype == DType::float32 ? Row{-0x1.fffffep-1, 0x1.fffffep0, 0.954499722f}
                  : dtype == DType::float16 ? Row{-0x1.ffcp-1, 0x1.ffcp0, 0x1.e8cp-1}
                                            : Row{-0x1.fep-1, 0x1.fep0, 0x1.e8p-1};
  // The range from just above -1 to 1 rounds to 2. No draw comes near the limit 1000.
  if (truncated) return {-row.erf_sqrt2, 2 * row.erf_sqrt2, row.below_two};
  return {row.above_minus_one, 2, 1000};
}

std::string loop(const std::string& type, const std::string& before, const std::string& value,
                 uint64_t count, int operand, ArgumentList& arguments) {
  const std::string key = arguments.pointer(0, "const uint32");
  const std::string out = arguments.pointer(operand, type);
  return kernel_head() + "  CORNU_EACH_THREAD {\n    const uint32* const words = " + key +
         ";\n    const Key key = {words[0], words[1]};\n    " + type + "* const out = " + out +
         ";\n" + before +
         "    const uint64 stride = static_cast<uint64>(gridDim.x) * blockDim.x;\n"
         "    for (uint64 i = static_cast<uint64>(blockIdx.x) * blockDim.x + threadIdx.x; i < " +
         arguments.word(count, "uint64") + "; i += stride) out[i] = " + value + ";\n  }\n}\n} }\n";
}

}  // namespace

KernelPlan plan(const Random& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  KernelPlan plan;
  const DType dtype = outputs[0].dtype;
  const int64_t count = outputs[0].shape->numel();
  const int operand = static_cast<int>(inputs.size());
  const bool next_key = kernel.distribution == Distribution::next_key;
  if (!next_key && !can_draw(kernel.distribution, dtype))
    throw ValueError("random: this distribution cannot be drawn as " +
                     std::string(dtype_name(dtype)) +
                     ". Bits need an unsigned type, bernoulli bool, randint an integer type and "
                     "the others a floating point type.");
  if (count == 0) return plan;

  ArgumentList arguments;
  const std::string type = type_text(dtype);
  std::string body, before, value;
  switch (kernel.distribution) {
    case Distribution::next_key:
      // Both words are known before one is written: the state may be its own successor.
      before = "    const uint32 next[2] = {key.hi, key.lo + 1u};\n";
      value = "next[i]";
      break;
    case Distribution::bits:
      value = "draw_bits<" + type + ">(key, i)";
      break;
    case Distribution::uniform:
      value = "draw_uniform<" + type + ">(key, i, " + arguments.number(kernel.low) + ", " +
              arguments.number(kernel.high) + ")";
      break;
    case Distribution::bernoulli:
      value = "draw_bernoulli(key, i, " + arguments.number(kernel.low) + ")";
      break;
    case Distribution::randint: {
      const RandintNumbers numbers = dispatch(dtype, [&]<class T>() -> RandintNumbers {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
          return randint_numbers<T>(saturated(kernel.low), saturated(kernel.high));
        else
          return {};
      });
      const std::string unsigned_type = size_of(dtype) == 8 ? "uint64" : "uint32";
      before = "    const Key upper = split_at(key, 0), lower = split_at(key, 1);\n";
      value = "draw_randint<" + type + ", " + unsigned_type + ">(upper, lower, i, " +
              arguments.word(numbers.low, unsigned_type) + ", " +
              arguments.word(numbers.span, unsigned_type) + ", " +
              arguments.word(numbers.multiplier, unsigned_type) + ")";
      break;
    }
    default: {
      const NormalNumbers numbers =
          normal_numbers(dtype, kernel.distribution == Distribution::truncated_normal);
      value = "draw_normal<" + type + ">(key, i, " + arguments.number(numbers.low) + ", " +
              arguments.number(numbers.range) + ", " + arguments.number(numbers.limit) + ", " +
              arguments.number(kernel.low) + ", " + arguments.number(kernel.high) + ")";
    }
  }
  body = loop(type, before, value, static_cast<uint64_t>(count), operand, arguments);
  Stage& stage = plan.stages.emplace_back();
  stage.source = make_source(
      "random", "namespace cornu_device { namespace @SPACE@ {\n" + arguments.declaration() + body,
      true);
  stage.grid_x = blocks_for(count, Stage::block, int64_t{16} * options.multiprocessors);
  stage.pointers = arguments.pointers();
  stage.words = arguments.words();
  return plan;
}

}  // namespace cornu::backend::cuda
