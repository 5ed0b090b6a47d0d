// Pooling: a thread for each element of y forwards. Backwards, where windows do not overlap, also:
// it writes its window and what lies between that and the next ones, which nobody else reads. Else
// there is one for each element of x, which goes through the windows that its element lies in, so
// that no two threads add to one place.
#include <array>

#include "../../error.h"
#include "codegen.h"
#include "kernel_text.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* functions = R"text(
/// Windows along an axis, and the pixels of a window that are in x.
struct Axis { Offset x, y, window, stride, pad; };
struct Range { Offset begin, end; };
CORNU_DEVICE Range pixels_of(const Axis& a, Offset at) {
  const Offset first = at * a.stride - a.pad, last = first + a.window;
  return Range{first < 0 ? 0 : first, last < a.x ? last : a.x};
}
CORNU_DEVICE Range windows_of(const Axis& a, Offset pixel) {
  const Offset from = pixel + a.pad - a.window, to = (pixel + a.pad) / a.stride + 1;
  return Range{from < 0 ? 0 : from / a.stride + 1, to < a.y ? to : a.y};
}
/// What is nearer to this window than to those after it.
CORNU_DEVICE Range cell_of(const Axis& a, Offset at) {
  const Offset next = (at + 1) * a.stride - a.pad;
  const Offset first = at * a.stride - a.pad;
  return Range{at == 0 || first < 0 ? 0 : first, at + 1 == a.y || next > a.x ? a.x : next};
}
CORNU_DEVICE bool lies_in(const Range& r, Offset pixel) { return pixel >= r.begin && pixel < r.end; }
CORNU_DEVICE Offset size_of(const Range& r) { return r.end > r.begin ? r.end - r.begin : 0; }
CORNU_DEVICE Real average(Real sum, Offset count) {
  return sum / static_cast<Real>(count > 0 ? count : 1);
}
)text";

// Where element i is: image q, place `at`, channel c.
constexpr const char* place_text = R"text(
      Index q = divide(i, channels);
      const Index c = i - q * channels.size;
      Offset at[3];
      for (int k = 2; k >= 0; --k) {
        const Index next = divide(q, k == 2 ? sizes2 : k == 1 ? sizes1 : sizes0);
        at[k] = static_cast<Offset>(q - next * (k == 2 ? sizes2 : k == 1 ? sizes1 : sizes0).size);
        q = next;
      }
)text";

constexpr const char* forward_text = R"text(
      const Range r0 = pixels_of(axis0, at[0]), r1 = pixels_of(axis1, at[1]);
      const Range r2 = pixels_of(axis2, at[2]);
      Real total = maximum ? lowest<Real>() : static_cast<Real>(0);
      for (Offset a = r0.begin; a < r0.end; ++a)
        for (Offset b = r1.begin; b < r1.end; ++b)
          for (Offset d = r2.begin; d < r2.end; ++d) {
            const Index pixel = ((q * axis0.x + a) * axis1.x + b) * axis2.x + d;
            const Real value = convert<Real>(x[pixel * channels.size + c]);
            if constexpr (maximum) total = max(total, value);
            else total = static_cast<Real>(total + value);
          }
      if constexpr (!maximum) total = average(total, size_of(r0) * size_of(r1) * size_of(r2));
      out[i] = convert<To>(total);
)text";

constexpr const char* backward_text = R"text(
      const Offset image = static_cast<Offset>(q), all = static_cast<Offset>(channels.size);
      const Range w0 = windows_of(axis0, at[0]), w1 = windows_of(axis1, at[1]);
      const Range w2 = windows_of(axis2, at[2]);
      const Real own = maximum ? convert<Real>(x[i]) : static_cast<Real>(0);
      Real total = 0;
      for (Offset u = w0.begin; u < w0.end; ++u)
        for (Offset v = w1.begin; v < w1.end; ++v)
          for (Offset w = w2.begin; w < w2.end; ++w) {
            const Offset place = (((image * axis0.y + u) * axis1.y + v) * axis2.y + w) * all + c;
            const Range r0 = pixels_of(axis0, u), r1 = pixels_of(axis1, v);
            const Range r2 = pixels_of(axis2, w);
            if constexpr (!maximum) {
              total += average(convert<Real>(dy[place]), size_of(r0) * size_of(r1) * size_of(r2));
            } else {
              const Real best = convert<Real>(y[place]);
              bool first = own == best || own != own;
              // Whether a pixel before it in the window is a maximum too.
              for (Offset a = r0.begin; first && a <= at[0]; ++a)
                for (Offset b = r1.begin; first && b < r1.end; ++b)
                  for (Offset d = r2.begin; first && d < r2.end; ++d) {
                    const bool before = a != at[0] || b < at[1] || (b == at[1] && d < at[2]);
                    if (!before) break;
                    const Offset pixel = ((image * axis0.x + a) * axis1.x + b) * axis2.x + d;
                    const Real other = convert<Real>(x[pixel * all + c]);
                    if (other == best || other != other) first = false;
                  }
              if (first) total += convert<Real>(dy[place]);
            }
          }
      if constexpr (relu) total = own > static_cast<Real>(0) ? total : static_cast<Real>(0);
      out[i] = convert<To>(total);
)text";

constexpr const char* apart_text = R"text(
      const Offset image = static_cast<Offset>(q), all = static_cast<Offset>(channels.size);
      const Range r0 = pixels_of(axis0, at[0]), r1 = pixels_of(axis1, at[1]);
      const Range r2 = pixels_of(axis2, at[2]);
      Real given = convert<Real>(dy[i]);
      Offset chosen = -1;
      if constexpr (maximum) {
        // Everything is read before anything is written, which may lie over it.
        const Real best = convert<Real>(y[i]);
        for (Offset a = r0.begin; a < r0.end; ++a)
          for (Offset b = r1.begin; b < r1.end; ++b)
            for (Offset d = r2.begin; d < r2.end; ++d) {
              const Offset pixel = ((image * axis0.x + a) * axis1.x + b) * axis2.x + d;
              const Real value = convert<Real>(x[pixel * all + c]);
              if (chosen >= 0 || !(value == best || value != value)) continue;
              chosen = pixel;
              if (relu && !(value > static_cast<Real>(0))) given = 0;
            }
      } else {
        given = average(given, size_of(r0) * size_of(r1) * size_of(r2));
      }
      const Range c0 = cell_of(axis0, at[0]), c1 = cell_of(axis1, at[1]);
      const Range c2 = cell_of(axis2, at[2]);
      for (Offset a = c0.begin; a < c0.end; ++a)
        for (Offset b = c1.begin; b < c1.end; ++b)
          for (Offset d = c2.begin; d < c2.end; ++d) {
            const Offset pixel = ((image * axis0.x + a) * axis1.x + b) * axis2.x + d;
            const bool mine = maximum ? pixel == chosen
                                      : lies_in(r0, a) && lies_in(r1, b) && lies_in(r2, d);
            out[pixel * all + c] = convert<To>(mine ? given : static_cast<Real>(0));
          }
)text";

}  // namespace

KernelPlan plan(const Pool& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  if (kernel.block != 0)
    throw UnsupportedError("Pool: channels in blocks of " + std::to_string(kernel.block) +
                           " are not for CUDA devices. Plan with channel_block() 0.");
  KernelPlan plan;
  const Operand &x = inputs[0], &output = outputs[0];
  if (output.shape->numel() == 0) return plan;
  const Shape &x_shape = *x.shape, &y_shape = kernel.backward ? *inputs[1].shape : *output.shape;
  DType type = product_type(inputs.first(1), output);
  if (!is_float(type)) type = is_signed_int(x.dtype) ? DType::int64 : DType::uint64;
  KernelText text(std::max(x_shape.numel(), y_shape.numel()));
  text.type("From", x.dtype);
  text.type("To", output.dtype);
  text.type("Real", type);
  text.constant("maximum", kernel.maximum ? 1 : 0);
  text.constant("relu", kernel.relu ? 1 : 0);
  text.pointer("x", 0, "const From");
  if (kernel.backward) {
    text.type("Y", inputs[1].dtype);
    text.type("Dy", inputs[2].dtype);
    text.pointer("y", 1, "const Y");
    text.pointer("dy", 2, "const Dy");
  }
  text.pointer("out", static_cast<int>(inputs.size()), "To");
  // Windows that see nothing but padding leave no cell.
  const bool apart = kernel.backward && !kernel.windows_overlap() && y_shape.numel() > 0;
  const bool for_each_x = kernel.backward && !apart;
  text.divisor("channels", x_shape.back());
  const int spatial = x_shape.rank() - 2;
  std::string axes;
  for (int axis = 0; axis < 3; ++axis) {
    const int own = axis - 3 + spatial;
    const bool used = own >= 0;
    const size_t i = static_cast<size_t>(std::max(own, 0));
    const int64_t numbers[] = {used ? x_shape[own + 1] : 1, used ? y_shape[own + 1] : 1,
                               used ? kernel.window[i] : 1,
                               used && i < kernel.strides.size() ? kernel.strides[i] : 1,
                               used && i < kernel.pad_low.size() ? kernel.pad_low[i] : 0};
    const std::string name = "axis" + std::to_string(axis);
    axes += "  const Axis " + name + " = {";
    for (int k = 0; k < 5; ++k) {
      text.offset(name + "_" + std::to_string(k), numbers[k]);
      axes += (k > 0 ? ", " : "") + name + "_" + std::to_string(k);
    }
    axes += "};\n";
    text.divisor("sizes" + std::to_string(axis), numbers[for_each_x ? 0 : 1]);
  }
  const int64_t count = (for_each_x ? x_shape : y_shape).numel();
  text.index("count", count);
  plan.stages.push_back(text.stage(kernel.backward ? "pool_backward" : "pool", functions,
                                   axes + loop_begin + place_text +
                                       (apart        ? apart_text
                                        : for_each_x ? backward_text
                                                     : forward_text) +
                                       loop_end,
                                   loop_blocks(count, options.multiprocessors)));
  return plan;
}

}  // namespace cornu::backend::cuda
