// The sum of columns: a thread for some neighboring channels of a place.
#include "conv_columns.h"

#include "conv_direct.h"
#include "product_stages.h"

namespace cornu::backend::cuda {
namespace {

// Gathers, as a scatter would need atomic additions, whose order is left to chance. Loads of all
// taps are under way at once where they are few.
constexpr const char* sum_text = R"text(
      const Index pixel = divide(i, packs), channel = (i - pixel * packs.size) * pack;
      @PLACES@
      Real sums[pack];
#pragma unroll
      for (int e = 0; e < pack; ++e) sums[e] = 0;
#pragma unroll @UNROLL@
      for (int tap = 0; tap < taps; ++tap) {
        const int tap1 = tap / taps2, tap0 = tap1 / taps1;
        const Offset s0 = p0 + pad0 - tap0 * dilation0;
        const Offset s1 = p1 + pad1 - (tap1 - tap0 * taps1) * dilation1;
        const Offset s2 = p2 + pad2 - (tap - tap1 * taps2) * dilation2;
        const Offset y0 = s0 / stride0, y1 = s1 / stride1, y2 = s2 / stride2;
        if (s0 >= 0 && s1 >= 0 && s2 >= 0 && y0 * stride0 == s0 && y1 * stride1 == s1 &&
            y2 * stride2 == s2 && y0 < other0 && y1 < other1 && y2 < other2) {
          const Index place = ((image * other0 + y0) * other1 + y1) * other2 + y2;
          const auto values = load_pack<pack>(columns + (place * taps + tap) * channels + channel);
#pragma unroll
          for (int e = 0; e < pack; ++e) sums[e] += convert<Real>(values.v[e]);
        }
      }
      Pack<X, pack> results;
#pragma unroll
      for (int e = 0; e < pack; ++e) results.v[e] = convert<X>(sums[e]);
      store_pack<pack>(results, x + pixel * channels + channel);
)text";

constexpr int64_t few_taps = 32;

}  // namespace

KernelPlan plan_columns_sum(const Conv& conv, const Operand& x, const Shape& kernel, const Shape& y,
                            const PlanOptions& options) {
  KernelPlan plan;
  const int64_t numel = x.shape->numel();
  if (numel == 0) return plan;
  const ConvSizes s = conv_sizes(conv, *x.shape, kernel, y);
  int64_t pack = std::max<int64_t>(
      std::clamp(options.alignment, 1, 16) / static_cast<int64_t>(size_of(x.dtype)), 1);
  while (s.in_channels % pack != 0) pack /= 2;
  const int64_t packs = s.in_channels / pack, taps = ConvSizes::count(s.taps);
  int64_t largest = std::max(numel, s.batch * ConvSizes::count(s.y) * taps * s.in_channels);
  for (int axis = 0; axis < 3; ++axis)
    largest = std::max(largest, s.x[axis] + s.pad_low[axis] + s.taps[axis] * s.dilation[axis]);
  KernelText text(largest);
  text.type("X", x.dtype);
  text.type("Real", x.dtype == DType::float64 ? "double" : "float");
  text.pointer("columns", 0, "const X");
  text.pointer("x", 1, "X");
  text.constant("pack", pack);
  text.constant("taps", taps);
  text.divisor("packs", packs);
  text.index("channels", s.in_channels);
  text.index("count", numel / pack);
  for (int axis = 0; axis < 3; ++axis) {
    const std::string id = std::to_string(axis);
    text.divisor("size" + id, s.x[axis]);
    text.offset("other" + id, s.y[axis]);
    text.offset("pad" + id, s.pad_low[axis]);
    text.constant("taps" + id, s.taps[axis]);
    text.constant("stride" + id, s.strides[axis]);
    text.constant("dilation" + id, s.dilation[axis]);
  }
  const std::string body = with(with(sum_text, "@PLACES@", places_text), "@UNROLL@",
                                std::to_string(taps <= few_taps ? taps : 1));
  plan.stages.push_back(text.stage("columns_sum", "", loop_begin + body + loop_end,
                                   loop_blocks(numel / pack, options.multiprocessors)));
  return plan;
}

}  // namespace cornu::backend::cuda
