// Convolutions of few input channels, such as those of pictures: a thread takes neighboring output
// channels of a pixel, so that each element of x is looked up once for all of them.
#include "conv_direct.h"
#include "product_stages.h"

namespace cornu::backend::cuda {
namespace {

// Weights of an output channel, whose sums a thread keeps in registers for each of its channels.
constexpr int64_t most_weights = 27, most_sums = 112;

// Lines for `tap` and `channel` of weight number `w`, and `value`, the element of x at a pixel.
constexpr const char* element_text = R"text(
        const int tap = w / input_channels, channel = w % input_channels;
        const int tap1 = tap / tap_sizes2, tap0 = tap1 / tap_sizes1;
        const Offset x0 = p0 * stride0 - pad0 + tap0 * dilation0;
        const Offset x1 = p1 * stride1 - pad1 + (tap1 - tap0 * tap_sizes1) * dilation1;
        const Offset x2 = p2 * stride2 - pad2 + (tap - tap1 * tap_sizes2) * dilation2;
        Real value = 0;
        if (x0 >= 0 && x0 < other0 && x1 >= 0 && x1 < other1 && x2 >= 0 && x2 < other2)
          value = convert<Real>(
              a_data[(((image * other0 + x0) * other1 + x1) * other2 + x2) * input_channels +
                     channel]);
)text";

constexpr const char* few_inputs_forward_text = R"text(
      const Index pixel = divide(i, packs), o = (i - pixel * packs.size) * pack;
      @PLACES@
      Real sums[pack];
#pragma unroll
      for (int e = 0; e < pack; ++e) sums[e] = 0;
#pragma unroll
      for (int w = 0; w < weights; ++w) {
        @ELEMENT@
        const auto factors = load_pack<pack>(b_data + w * out_channels + o);
#pragma unroll
        for (int e = 0; e < pack; ++e) sums[e] += value * convert<Real>(factors.v[e]);
      }
      Pack<C, pack> results;
#pragma unroll
      for (int e = 0; e < pack; ++e) {
        Real result = sums[e];
        @FINISH@
        results.v[e] = convert<C>(result);
      }
      store_pack<pack>(results, c_data + pixel * out_channels + o);
)text";

// A block takes a part of the pixels; its threads stand side by side along the channels, and above
// each other along the pixels.
constexpr const char* few_inputs_weights_text = R"text(
  CORNU_SHARED Real shared[pack][256];
  Private<Real, weights * pack> sums;
  const Index first_pack = static_cast<Index>(blockIdx.x) * width;
  CORNU_EACH_THREAD {
    Real* const own = sums.own();
#pragma unroll
    for (int e = 0; e < weights * pack; ++e) own[e] = 0;
    const Index place = first_pack + threadIdx.x % width, o = place * pack;
    const Index begin = static_cast<Index>(blockIdx.y) * chunk;
    const Index end = begin + chunk < pixels ? begin + chunk : pixels;
    if (o < out_channels) {
      for (Index pixel = begin + threadIdx.x / width; pixel < end; pixel += lanes) {
        @PLACES@
        const auto slopes = load_pack<pack>(b_data + pixel * out_channels + o);
#pragma unroll
        for (int w = 0; w < weights; ++w) {
          @ELEMENT@
#pragma unroll
          for (int e = 0; e < pack; ++e) own[w * pack + e] += value * convert<Real>(slopes.v[e]);
        }
      }
    }
  }
#pragma unroll
  for (int w = 0; w < weights; ++w) {
    CORNU_BLOCK_BARRIER
    CORNU_EACH_THREAD {
#pragma unroll
      for (int e = 0; e < pack; ++e) shared[e][threadIdx.x] = sums.own()[w * pack + e];
    }
    @FOLD@
    CORNU_EACH_THREAD {
      const Index o = (first_pack + threadIdx.x) * pack;
      if (threadIdx.x < width && o < out_channels)
        for (int e = 0; e < pack; ++e)
          partial[(static_cast<Index>(blockIdx.y) * weights + w) * out_channels + o + e] =
              shared[e][threadIdx.x];
    }
  }
)text";

int64_t weights_of(const ConvSizes& s) { return ConvSizes::count(s.taps) * s.in_channels; }

// Output channels of a thread.
int64_t pack_of(const ConvSizes& s) {
  int64_t pack = 8;
  while (pack > 1 && (s.out_channels % pack != 0 || weights_of(s) * pack > most_sums)) pack /= 2;
  return pack;
}

}  // namespace

bool has_few_inputs(const Conv& kernel, const ConvSizes& s) {
  return s.groups == 1 && kernel.pass != ConvPass::backward_data && weights_of(s) <= most_weights &&
         pack_of(s) >= 4;
}

void add_few_inputs_conv(KernelPlan& plan, const Conv& kernel, const ConvSizes& s,
                         std::span<const Operand> inputs, const Operand& output, int64_t largest,
                         int multiprocessors) {
  const int64_t pixels = s.batch * ConvSizes::count(s.y), packs = s.out_channels / pack_of(s);
  const auto begin = [&](int64_t more) {
    KernelText text(std::max(largest, more));
    text.type("Real", product_type(inputs.first(2), output));
    declare_conv(text, kernel, s, inputs, output);
    text.constant("weights", weights_of(s));
    text.constant("input_channels", s.in_channels);
    text.constant("tap_sizes1", s.taps[1]);
    text.constant("tap_sizes2", s.taps[2]);
    text.constant("pack", pack_of(s));
    return text;
  };
  const auto filled = [](const char* body) {
    return with(with(with(body, "@PLACES@", places_text), "@ELEMENT@", element_text), "@FOLD@",
                fold_columns);
  };
  if (kernel.pass == ConvPass::forward) {
    KernelText text = begin(pixels * packs);
    text.divisor("packs", packs);
    text.index("count", pixels * packs);
    std::string finish;
    if (kernel.bias) finish += "result += convert<Real>(bias[o + e]);\n";
    if (kernel.relu) finish += "result = max(result, static_cast<Real>(0));\n";
    plan.stages.push_back(text.stage("conv_few_inputs", "",
                                     std::string(loop_begin) +
                                         with(filled(few_inputs_forward_text), "@FINISH@", finish) +
                                         loop_end,
                                     loop_blocks(pixels * packs, multiprocessors)));
    return;
  }
  // Blocks that share the pixels: by the sizes alone, as sums depend on it.
  constexpr int64_t wanted_blocks = 264, most_width = 32;
  int64_t width = 1;
  while (width < std::min(packs, most_width)) width *= 2;
  const int64_t lanes = Stage::block / width, across = (packs + width - 1) / width;
  const int64_t chunk = std::max((pixels * across + wanted_blocks - 1) / wanted_blocks, lanes);
  const int64_t splits = std::max<int64_t>((pixels + chunk - 1) / chunk, 1);
  const int workspace = static_cast<int>(inputs.size() + 1);
  const size_t at = plan.workspace_bytes;
  KernelText text = begin(output.shape->numel() * splits + 4096);
  text.constant("width", width);
  text.constant("lanes", lanes);
  text.index("pixels", pixels);
  text.index("chunk", chunk);
  text.pointer("partial", workspace, "Real", at);
  plan.stages.push_back(
      text.stage("conv_few_inputs_weights", "", filled(few_inputs_weights_text), across, splits));
  add_weights_sum(plan, inputs, output, splits, at);
}

}  // namespace cornu::backend::cuda
