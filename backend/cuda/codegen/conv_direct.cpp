// Convolutions of small groups without tiles.
#include "conv_direct.h"

#include "product_stages.h"

namespace cornu::backend::cuda {
namespace {

// A thread for each element of y. A group's few channels would leave most of a tile empty.
constexpr const char* forward_text = R"text(
      const Index pixel = divide(i, out_all), o = i - pixel * out_all.size;
      const Index group = divide(o, out_group);
      @PLACES@
      Real value = 0;
      for (Offset t0 = 0; t0 < static_cast<Offset>(taps0.size); ++t0)
        for (Offset t1 = 0; t1 < static_cast<Offset>(taps1.size); ++t1)
          for (Offset t2 = 0; t2 < static_cast<Offset>(taps2.size); ++t2) {
            const Offset x0 = p0 * stride0 - pad0 + t0 * dilation0;
            const Offset x1 = p1 * stride1 - pad1 + t1 * dilation1;
            const Offset x2 = p2 * stride2 - pad2 + t2 * dilation2;
            if (x0 < 0 || x0 >= other0 || x1 < 0 || x1 >= other1 || x2 < 0 || x2 >= other2)
              continue;
            const Index from =
                (((image * other0 + x0) * other1 + x1) * other2 + x2) * in_channels +
                group * in_group.size;
            const Index tap = (t0 * taps1.size + t1) * taps2.size + t2;
            for (Index c = 0; c < in_group.size; ++c)
              value += convert<Real>(a_data[from + c]) *
                       convert<Real>(b_data[(tap * in_group.size + c) * out_channels + o]);
          }
      @FINISH@
      c_data[i] = convert<C>(value);
)text";

// Gathers the elements of y that an element of x went into instead of scattering to x, which would
// need atomic additions, whose order is left to chance.
constexpr const char* data_text = R"text(
      const Index pixel = divide(i, in_all), c = i - pixel * in_all.size;
      const Index group = divide(c, in_group), own = c - group * in_group.size;
      @PLACES@
      Real value = 0;
      for (Offset t0 = 0; t0 < static_cast<Offset>(taps0.size); ++t0)
        for (Offset t1 = 0; t1 < static_cast<Offset>(taps1.size); ++t1)
          for (Offset t2 = 0; t2 < static_cast<Offset>(taps2.size); ++t2) {
            const Offset s0 = p0 + pad0 - t0 * dilation0, s1 = p1 + pad1 - t1 * dilation1;
            const Offset s2 = p2 + pad2 - t2 * dilation2;
            if (s0 < 0 || s1 < 0 || s2 < 0) continue;
            const Offset y0 = s0 / stride0, y1 = s1 / stride1, y2 = s2 / stride2;
            if (y0 * stride0 != s0 || y1 * stride1 != s1 || y2 * stride2 != s2) continue;
            if (y0 >= other0 || y1 >= other1 || y2 >= other2) continue;
            const Index first = group * out_group.size;
            const Index from =
                (((image * other0 + y0) * other1 + y1) * other2 + y2) * out_channels + first;
            const Index tap = (t0 * taps1.size + t1) * taps2.size + t2;
            const Index row = (tap * in_group.size + own) * out_channels + first;
            for (Index o = 0; o < out_group.size; ++o)
              value += convert<Real>(a_data[from + o]) * convert<Real>(b_data[row + o]);
          }
      c_data[i] = convert<C>(value);
)text";

// A block sums up 32 neighboring channels of y of one row of the weights, 8 threads each.
constexpr const char* weights_text = R"text(
  CORNU_SHARED Real shared[256];
  const Index row = divide(static_cast<Index>(blockIdx.x), across);
  const Index o0 = (static_cast<Index>(blockIdx.x) - row * across.size) * 32;
  const Index tap = divide(row, in_group), own = row - tap * in_group.size;
  const Index tap1 = divide(tap, taps2), tap0 = divide(tap1, taps1);
  const Offset t2 = tap - tap1 * taps2.size, t1 = tap1 - tap0 * taps1.size, t0 = tap0;
  CORNU_EACH_THREAD {
    const Index o = o0 + threadIdx.x % 32;
    Real value = 0;
    if (o < out_channels) {
      const Index channel = divide(o, out_group) * in_group.size + own;
      const Index begin = static_cast<Index>(blockIdx.y) * chunk;
      const Index end = begin + chunk < pixels ? begin + chunk : pixels;
      for (Index pixel = begin + threadIdx.x / 32; pixel < end; pixel += 8) {
        @PLACES@
        const Offset x0 = p0 * stride0 - pad0 + t0 * dilation0;
        const Offset x1 = p1 * stride1 - pad1 + t1 * dilation1;
        const Offset x2 = p2 * stride2 - pad2 + t2 * dilation2;
        if (x0 < 0 || x0 >= other0 || x1 < 0 || x1 >= other1 || x2 < 0 || x2 >= other2) continue;
        const Index from =
            (((image * other0 + x0) * other1 + x1) * other2 + x2) * in_channels + channel;
        value += convert<Real>(a_data[from]) * convert<Real>(b_data[pixel * out_channels + o]);
      }
    }
    shared[threadIdx.x] = value;
  }
  for (uint32 step = 128; step >= 32; step /= 2) {
    CORNU_BLOCK_BARRIER
    CORNU_EACH_THREAD {
      if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    }
  }
  CORNU_BLOCK_BARRIER
  CORNU_EACH_THREAD {
    const Index o = o0 + threadIdx.x;
    if (threadIdx.x < 32 && o < out_channels) {
      const Index at = row * out_channels + o;
      const Real value = shared[threadIdx.x];
      @STORE@
    }
  }
)text";

}  // namespace

ConvSizes conv_sizes(const Conv& kernel, const Shape& x, const Shape& weights, const Shape& y) {
  ConvSizes s;
  s.batch = x[0];
  s.in_channels = x.back();
  s.out_channels = y.back();
  s.groups = kernel.groups;
  for (int axis = 0; axis < 3; ++axis) {
    const int own = axis - 3 + x.rank() - 2;
    const bool used = own >= 0;
    const size_t i = static_cast<size_t>(std::max(own, 0));
    s.x[axis] = used ? x[own + 1] : 1;
    s.y[axis] = used ? y[own + 1] : 1;
    s.taps[axis] = used ? weights[own] : 1;
    s.strides[axis] = used && i < kernel.strides.size() ? kernel.strides[i] : 1;
    s.dilation[axis] = used && i < kernel.dilation.size() ? kernel.dilation[i] : 1;
    s.pad_low[axis] = used && i < kernel.pad_low.size() ? kernel.pad_low[i] : 0;
  }
  return s;
}

const char* const places_text = R"text(
      const Index row2 = divide(pixel, size2), row1 = divide(row2, size1);
      const Index image = divide(row1, size0);
      const Offset p2 = pixel - row2 * size2.size, p1 = row2 - row1 * size1.size;
      const Offset p0 = row1 - image * size0.size;
)text";

void declare_conv(KernelText& text, const Conv& kernel, const ConvSizes& s,
                  std::span<const Operand> inputs, const Operand& output) {
  const bool data = kernel.pass == ConvPass::backward_data;
  text.type("A", inputs[0].dtype);
  text.type("B", inputs[1].dtype);
  text.type("C", output.dtype);
  text.pointer("a_data", 0, "const A");
  text.pointer("b_data", 1, "const B");
  if (kernel.bias && kernel.pass == ConvPass::forward)
    text.pointer("bias", 2, "const " + type_text(inputs[2].dtype));
  text.pointer("c_data", static_cast<int>(inputs.size()), "C");
  text.index("in_channels", s.in_channels);
  text.index("out_channels", s.out_channels);
  text.divisor("in_group", s.in_group());
  text.divisor("out_group", s.out_group());
  for (int axis = 0; axis < 3; ++axis) {
    const std::string id = std::to_string(axis);
    text.divisor("size" + id, data ? s.x[axis] : s.y[axis]);
    text.offset("other" + id, data ? s.y[axis] : s.x[axis]);
    text.divisor("taps" + id, s.taps[axis]);
    text.offset("stride" + id, s.strides[axis]);
    text.offset("dilation" + id, s.dilation[axis]);
    text.offset("pad" + id, s.pad_low[axis]);
  }
}

void add_weights_sum(KernelPlan& plan, std::span<const Operand> inputs, const Operand& output,
                     int64_t splits, size_t at) {
  ProductTask task;
  task.kind = "conv_weights";
  task.slices = task.m = 1;
  task.n = output.shape->numel();
  task.largest = task.n * splits;
  task.real = product_type(inputs.first(2), output);
  task.workspace = static_cast<int>(inputs.size() + 1);
  task.declare = [&](KernelText& text) {
    text.type("C", output.dtype);
    text.pointer("c_data", static_cast<int>(inputs.size()), "C");
  };
  task.of_slice = [](KernelText&) { return std::string(); };
  task.store = "c_data[i] = convert<C>(value);";
  plan.workspace_bytes += (static_cast<size_t>(task.largest) * size_of(task.real) + 15) / 16 * 16;
  add_partial_sums(plan, task, splits, at);
}

bool has_small_groups(const ConvSizes& s) {
  // Weights of a group for each tap: with more of them, tiles pay off.
  return s.groups > 1 && s.in_group() * s.out_group() <= 16;
}

void add_direct_conv(KernelPlan& plan, const Conv& kernel, const ConvSizes& s,
                     std::span<const Operand> inputs, const Operand& output, int64_t largest,
                     int multiprocessors) {
  const int64_t numel = output.shape->numel();
  const bool forward = kernel.pass == ConvPass::forward;
  const DType real = product_type(inputs.first(2), output);
  const auto begin = [&](int64_t more) {
    KernelText text(std::max(largest, more));
    text.type("Real", real);
    declare_conv(text, kernel, s, inputs, output);
    return text;
  };
  if (kernel.pass != ConvPass::backward_weights) {
    KernelText text = begin(numel);
    text.divisor("out_all", s.out_channels);
    text.divisor("in_all", s.in_channels);
    text.index("count", numel);
    std::string finish;
    if (forward && kernel.bias) finish += "value += convert<Real>(bias[o]);\n";
    if (forward && kernel.relu) finish += "value = max(value, static_cast<Real>(0));\n";
    std::string body = with(forward ? forward_text : data_text, "@PLACES@", places_text);
    body = with(body, "@FINISH@", finish);
    plan.stages.push_back(text.stage(forward ? "conv_direct" : "conv_direct_data", "",
                                     loop_begin + body + loop_end,
                                     loop_blocks(numel, multiprocessors)));
    return;
  }
  const int64_t rows = ConvSizes::count(s.taps) * s.in_group();
  const int64_t across = (s.out_channels + 31) / 32, blocks = rows * across;
  const int64_t pixels = s.batch * ConvSizes::count(s.y);
  // Enough blocks to fill a GPU, but none with too few pixels to be worth its partial sums.
  constexpr int64_t wanted_blocks = 512, least_chunk = 128, most_splits = 256;
  int64_t splits =
      std::clamp<int64_t>(std::min(wanted_blocks / blocks, pixels / least_chunk), 1, most_splits);
  const int64_t chunk = std::max<int64_t>((pixels + splits - 1) / splits, 1);
  // Rounding chunks up may leave the last splits without pixels.
  splits = std::max<int64_t>((pixels + chunk - 1) / chunk, 1);
  const int workspace = static_cast<int>(inputs.size() + 1);
  const size_t at = plan.workspace_bytes;
  KernelText text = begin(numel * splits + 4096);
  text.divisor("across", across);
  text.index("pixels", pixels);
  text.index("chunk", chunk);
  std::string store = "c_data[at] = convert<C>(value);";
  if (splits > 1) {
    text.pointer("partial", workspace, "Real", at);
    text.index("results", numel);
    store = "partial[static_cast<Index>(blockIdx.y) * results + at] = value;";
  }
  plan.stages.push_back(text.stage(
      "conv_direct_weights", "",
      with(with(weights_text, "@PLACES@", places_text), "@STORE@", store), blocks, splits));
  if (splits == 1) return;
  add_weights_sum(plan, inputs, output, splits, at);
}

}  // namespace cornu::backend::cuda
