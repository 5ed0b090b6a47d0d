// Convolutions as products whose left operand is gathered while tiles are loaded: forwards
// (pixels of y, taps x channels) x (taps x channels, channels of y), and the like backwards. Groups
// are slices, unless they are small.
#include "../../error.h"
#include "codegen.h"
#include "conv_direct.h"
#include "product_stages.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* taps_text = R"text(
      const Index tap1 = divide(tap, taps2), tap0 = divide(tap1, taps1);
      const Offset t2 = tap - tap1 * taps2.size, t1 = tap1 - tap0 * taps1.size, t0 = tap0;
)text";

constexpr const char* from_x_text = R"text(
      const Offset x0 = p0 * stride0 - pad0 + t0 * dilation0;
      const Offset x1 = p1 * stride1 - pad1 + t1 * dilation1;
      const Offset x2 = p2 * stride2 - pad2 + t2 * dilation2;
      if (x0 < 0 || x0 >= other0 || x1 < 0 || x1 >= other1 || x2 < 0 || x2 >= other2) return 0;
      const Index place = ((image * other0 + x0) * other1 + x1) * other2 + x2;
      return convert<Real>(a_data[place * in_channels + slice * in_group.size + channel]);
)text";

constexpr const char* from_y_text = R"text(
      const Offset s0 = p0 + pad0 - t0 * dilation0, s1 = p1 + pad1 - t1 * dilation1;
      const Offset s2 = p2 + pad2 - t2 * dilation2;
      if (s0 < 0 || s1 < 0 || s2 < 0) return 0;
      const Offset y0 = s0 / stride0, y1 = s1 / stride1, y2 = s2 / stride2;
      if (y0 * stride0 != s0 || y1 * stride1 != s1 || y2 * stride2 != s2) return 0;
      if (y0 >= other0 || y1 >= other1 || y2 >= other2) return 0;
      const Index place = ((image * other0 + y0) * other1 + y1) * other2 + y2;
      return convert<Real>(a_data[place * out_channels + slice * out_group.size + channel]);
)text";

}  // namespace

KernelPlan plan(const Conv& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  if (kernel.block_x != 0 || kernel.block_y != 0)
    throw UnsupportedError(
        "Conv: channels in blocks are not for CUDA devices. Plan with channel_block() 0.");
  if (kernel.pool || (kernel.bias && kernel.pass == ConvPass::backward_weights))
    throw UnsupportedError(
        "Conv: CUDA devices neither pool results nor give a bias's gradient with the filters'. "
        "Plan "
        "with their fusions().");
  KernelPlan plan;
  const Operand& output = outputs[0];
  const int64_t numel = output.shape->numel();
  if (numel == 0) return plan;
  const bool forward = kernel.pass == ConvPass::forward;
  const bool data = kernel.pass == ConvPass::backward_data;
  const Shape& x = data ? *output.shape : *inputs[0].shape;
  const Shape& y = forward ? *output.shape : data ? *inputs[0].shape : *inputs[1].shape;
  const Shape& weights = forward || data ? *inputs[1].shape : *output.shape;
  const ConvSizes s = conv_sizes(kernel, x, weights, y);
  const bool bias = kernel.bias && forward, relu = kernel.relu && forward;
  const int64_t in_group = s.in_group(), out_group = s.out_group();
  const int64_t taps = ConvSizes::count(s.taps);
  int64_t largest = std::max({x.numel(), y.numel(), weights.numel()});
  // What padding and dilation add to coordinates.
  for (int axis = 0; axis < 3; ++axis)
    largest = std::max(largest, (s.y[axis] + 1) * s.strides[axis] + s.pad_low[axis] +
                                    s.taps[axis] * s.dilation[axis]);
  if (has_small_groups(s)) {
    add_direct_conv(plan, kernel, s, inputs, output, largest, options.multiprocessors);
    return plan;
  }

  if (has_few_inputs(kernel, s) && options.alignment >= 16) {
    add_few_inputs_conv(plan, kernel, s, inputs, output, largest, options.multiprocessors);
    return plan;
  }

  ProductTask task;
  task.kind = forward ? "conv" : data ? "conv_data" : "conv_weights";
  task.slices = kernel.groups;
  task.real = product_type(inputs.first(2), output);
  task.largest = largest;
  task.workspace = static_cast<int>(inputs.size() + 1);
  task.m = forward ? s.batch * ConvSizes::count(s.y)
           : data  ? s.batch * ConvSizes::count(s.x)
                   : taps * in_group;
  task.n = data ? in_group : out_group;
  task.k = forward ? taps * in_group : data ? taps * out_group : s.batch * ConvSizes::count(s.y);
  task.a_along_k = forward || data;
  task.b_along_n = !data;
  task.declare = [&](KernelText& text) { declare_conv(text, kernel, s, inputs, output); };
  task.of_slice = [](KernelText&) { return std::string(); };
  if (forward) {
    task.load_a = std::string(
                      "const Index pixel = m, tap = divide(k, in_group);\n"
                      "const Index channel = k - tap * in_group.size;\n") +
                  places_text + taps_text + from_x_text;
    task.load_b = "return convert<Real>(b_data[k * out_channels + slice * out_group.size + n]);";
  } else if (data) {
    task.load_a = std::string(
                      "const Index pixel = m, tap = divide(k, out_group);\n"
                      "const Index channel = k - tap * out_group.size;\n") +
                  places_text + taps_text + from_y_text;
    task.load_b =
        "const Index tap = divide(k, out_group);\n"
        "return convert<Real>(b_data[(tap * in_group.size + n) * out_channels + slice * "
        "out_group.size "
        "+ k - tap * out_group.size]);";
  } else {
    task.load_a = std::string(
                      "const Index pixel = k, tap = divide(m, in_group);\n"
                      "const Index channel = m - tap * in_group.size;\n") +
                  places_text + taps_text + from_x_text;
    task.load_b = "return convert<Real>(b_data[k * out_channels + slice * out_group.size + n]);";
  }
  if (bias) task.store += "value += convert<Real>(bias[slice * out_group.size + n]);\n";
  if (relu) task.store += "value = max(value, static_cast<Real>(0));\n";
  task.store += data ? "c_data[m * in_channels + slice * in_group.size + n] = convert<C>(value);"
                     : "c_data[m * out_channels + slice * out_group.size + n] = convert<C>(value);";
  add_product(plan, task);
  return plan;
}

}  // namespace cornu::backend::cuda
