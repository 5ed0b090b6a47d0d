// Copies of boxes: a stage for each part, after one that fills what no part writes. Boxes are
// walked through in the order of the output, in units of up to 16 bytes; a transpose goes through
// tiles in shared memory, so that both sides are read and written in order.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "codegen.h"
#include "kernel_text.h"

namespace cornu::backend::cuda {
namespace {

/// `value` as bits of the nearest value of a type: integers truncate and saturate.
uint64_t bits_of(DType dtype, double value) {
  return dispatch(dtype, [&]<class T>() -> uint64_t {
    T element;
    if constexpr (std::is_same_v<T, bool>) {
      element = value != 0;
    } else if constexpr (std::is_same_v<T, Half>) {
      element = {float_to_half(static_cast<float>(value))};
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      element = {float_to_bfloat16(static_cast<float>(value))};
    } else if constexpr (std::is_floating_point_v<T>) {
      element = static_cast<T>(value);
    } else {
      using Limits = std::numeric_limits<T>;
      if (std::isnan(value))
        element = 0;
      else if (value <= static_cast<double>(Limits::min()))
        element = Limits::min();
      else if (value >= static_cast<double>(Limits::max()))
        element = Limits::max();
      else
        element = static_cast<T>(value);
    }
    uint64_t bits = 0;
    std::memcpy(&bits, &element, sizeof element);
    return bits;
  });
}

struct Box {
  std::vector<BoxAxis> axes;  // strides of the input, then of the output
  int64_t from = 0, to = 0;   // the first element
};

/// Axes ordered by the output's strides, which become positive, and merged. False when there is
/// nothing to copy.
bool make_box(const Copy::Part& part, Box& box) {
  for (int64_t size : part.sizes)
    if (size == 0) return false;
  box.from = part.from.offset;
  box.to = part.to.offset;
  for (int i = 0; i < part.sizes.rank(); ++i) {
    const size_t at = static_cast<size_t>(i);
    BoxAxis axis{part.sizes[i], {part.from.strides[at], part.to.strides[at]}};
    if (axis.size == 1) continue;
    if (axis.strides[1] < 0) {
      for (int side : {0, 1}) {
        (side == 0 ? box.from : box.to) +=
            (axis.size - 1) * axis.strides[static_cast<size_t>(side)];
        axis.strides[static_cast<size_t>(side)] *= -1;
      }
    }
    const auto place = std::find_if(box.axes.begin(), box.axes.end(), [&](const BoxAxis& other) {
      return other.strides[1] < axis.strides[1];
    });
    box.axes.insert(place, axis);
  }
  box.axes = merged(box.axes);
  return true;
}

/// Counts in larger units where runs, offsets and strides allow; returns the unit's bytes.
size_t widen(Box& box, size_t element, int alignment) {
  if (box.axes.empty()) return element;
  BoxAxis& inner = box.axes.back();
  if (inner.strides[0] != 1 || inner.strides[1] != 1) return element;
  size_t unit = 16;
  const auto fits = [&] {
    const int64_t n = static_cast<int64_t>(unit / element);
    if (n > 1 && alignment % static_cast<int>(unit) != 0) return false;
    bool all = inner.size % n == 0 && box.from % n == 0 && box.to % n == 0;
    for (size_t a = 0; a + 1 < box.axes.size(); ++a)
      for (int64_t stride : box.axes[a].strides) all = all && stride % n == 0;
    return all;
  };
  while (unit > element && !fits()) unit /= 2;
  const int64_t n = static_cast<int64_t>(unit / element);
  inner.size /= n;
  box.from /= n;
  box.to /= n;
  for (size_t a = 0; a + 1 < box.axes.size(); ++a)
    for (int64_t& stride : box.axes[a].strides) stride /= n;
  return unit;
}

int64_t numel_of(const Box& box) {
  int64_t n = 1;
  for (const BoxAxis& axis : box.axes) n *= axis.size;
  return n;
}

/// One past the largest number that indices of either side reach.
int64_t reach(const Box& box) {
  int64_t most = numel_of(box);
  for (size_t side : {0u, 1u}) {
    int64_t sum = std::abs(side == 0 ? box.from : box.to) + 1;
    for (const BoxAxis& axis : box.axes) sum += (axis.size - 1) * std::abs(axis.strides[side]);
    most = std::max(most, sum);
  }
  return most;
}

void name_operands(KernelText& text, const Box& box, int part, int output, size_t unit) {
  const std::string type = unit_text(unit);
  text.type("Unit", type);
  text.pointer("in", part, "const Unit");
  text.pointer("out", output, "Unit");
  text.offset("from_first", box.from);
  text.offset("to_first", box.to);
}

Stage plain_stage(Box box, int part, int output, size_t element, const PlanOptions& options) {
  const size_t unit = widen(box, element, options.alignment);
  box.axes = merged(box.axes);
  const int64_t count = numel_of(box);
  KernelText text(reach(box));
  name_operands(text, box, part, output, unit);
  text.index("count", count);
  const std::string walk = text.walk(box.axes, "i", {"from", "to"});
  return text.stage("copy", "",
                    loop_begin + walk + "out[to_first + to] = in[from_first + from];\n" + loop_end,
                    loop_blocks(count, options.multiprocessors));
}

constexpr const char* transpose_text = R"text(
  CORNU_SHARED Unit tile[32][33];
  const Index left = divide(static_cast<Index>(blockIdx.x), across);
  const Index batch = divide(left, down);
  const Index b0 = (static_cast<Index>(blockIdx.x) - left * across.size) * 32;
  const Index a0 = (left - batch * down.size) * 32;
  @WALK@
  CORNU_EACH_THREAD {
    const Index a = a0 + threadIdx.x % 32;
    for (uint32 y = threadIdx.x / 32; y < 32; y += 8)
      if (a < a_size && b0 + y < b_size)
        tile[y][threadIdx.x % 32] =
            in[from_first + from + static_cast<Offset>(a) + static_cast<Offset>(b0 + y) * b_from];
  }
  CORNU_BLOCK_BARRIER
  CORNU_EACH_THREAD {
    const Index b = b0 + threadIdx.x % 32;
    for (uint32 y = threadIdx.x / 32; y < 32; y += 8)
      if (b < b_size && a0 + y < a_size)
        out[to_first + to + static_cast<Offset>(b) + static_cast<Offset>(a0 + y) * a_to] =
            tile[threadIdx.x % 32][y];
  }
)text";

/// The axis along which the input is dense, where that is not the last and tiles are worth it; -1.
int transposed_axis(const Box& box, size_t element) {
  if (box.axes.size() < 2 || element > 8) return -1;
  const BoxAxis& last = box.axes.back();
  if (last.strides[1] != 1 || last.strides[0] == 1 || last.strides[0] == 0 || last.size < 8)
    return -1;
  for (size_t a = 0; a + 1 < box.axes.size(); ++a)
    if (box.axes[a].strides[0] == 1 && box.axes[a].size >= 8) return static_cast<int>(a);
  return -1;
}

Stage transpose_stage(const Box& box, int axis, int part, int output, size_t element) {
  const BoxAxis a = box.axes[static_cast<size_t>(axis)], b = box.axes.back();
  std::vector<BoxAxis> others;
  for (size_t k = 0; k + 1 < box.axes.size(); ++k)
    if (static_cast<int>(k) != axis) others.push_back(box.axes[k]);
  others = merged(others);
  int64_t batches = 1;
  for (const BoxAxis& other : others) batches *= other.size;
  KernelText text(reach(box));
  name_operands(text, box, part, output, element);
  const int64_t across = (b.size + 31) / 32, down = (a.size + 31) / 32;
  text.divisor("across", across);
  text.divisor("down", down);
  text.index("a_size", a.size);
  text.index("b_size", b.size);
  text.offset("b_from", b.strides[0]);
  text.offset("a_to", a.strides[1]);
  std::string body = transpose_text;
  body.replace(body.find("@WALK@"), 6, text.walk(others, "batch", {"from", "to"}));
  return text.stage("transpose", "", body, across * down * batches);
}

Stage fill_stage(const Copy& kernel, const Operand& output, int operand,
                 const PlanOptions& options) {
  const size_t element = size_of(output.dtype);
  const int64_t numel = output.shape->numel();
  const int64_t width =
      std::max<int64_t>(1, std::clamp(options.alignment, 1, 16) / static_cast<int>(element));
  const int64_t count = (numel + width - 1) / width;
  KernelText text(numel);
  text.type("Unit", unit_text(element));
  text.constant("width", width);
  text.pointer("out", operand, "Unit");
  text.index("numel", numel);
  text.index("count", count);
  text.bits("value", bits_of(output.dtype, kernel.fill));
  return text.stage("fill", "",
                    std::string("  Pack<Unit, width> pack;\n"
                                "  for (int e = 0; e < width; ++e) pack.v[e] = "
                                "static_cast<Unit>(value);\n") +
                        loop_begin +
                        "store_pack<width>(pack, out + i * width, numel - i * width);\n" + loop_end,
                    loop_blocks(count, options.multiprocessors));
}

}  // namespace

KernelPlan plan(const Copy& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  KernelPlan plan;
  const Operand& output = outputs[0];
  if (output.shape->numel() == 0) return plan;
  const int operand = static_cast<int>(inputs.size());
  const size_t element = size_of(output.dtype);
  if (!kernel.covers) plan.stages.push_back(fill_stage(kernel, output, operand, options));
  for (size_t p = 0; p < kernel.parts.size(); ++p) {
    Box box;
    if (!make_box(kernel.parts[p], box)) continue;
    const int axis = transposed_axis(box, element);
    plan.stages.push_back(axis >= 0
                              ? transpose_stage(box, axis, static_cast<int>(p), operand, element)
                              : plain_stage(box, static_cast<int>(p), operand, element, options));
  }
  return plan;
}

}  // namespace cornu::backend::cuda
