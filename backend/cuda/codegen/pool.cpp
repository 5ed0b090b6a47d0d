// Pooling: a thread for each element of y forwards, or for a few channels. Backwards, where windows
// do not overlap, also: it writes its window and what lies between that and the next ones, which
// nobody else reads. Else there is one for each element of x, which goes through the windows that
// its element lies in, so that no two threads add to one place; before that, of maxima, a kernel
// notes where each window has its first one.
#include <algorithm>

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
/// visit(pixel, inside, number) for all pixels of a window: where it reaches into the padding, the
/// nearest pixel of x stands for what is not `inside`. So no load depends on a condition, and those
/// of small windows are all under way at once.
template <class Visit>
CORNU_DEVICE void each_pixel(const Axis& axis0, const Axis& axis1, const Axis& axis2, Offset image,
                             const Offset* at, const Visit& visit) {
  const Axis axes[3] = {axis0, axis1, axis2};
  Range ranges[3];
  Offset first[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    ranges[k] = pixels_of(axes[k], at[k]);
    first[k] = at[k] * axes[k].stride - axes[k].pad;
  }
  const auto nearest = [&](int k, Offset pixel) -> Offset {
    return pixel < 0 ? 0 : pixel < axes[k].x ? pixel : axes[k].x - 1;
  };
@UNROLL@
  for (int i = 0; i < window0; ++i)
@UNROLL@
    for (int k = 0; k < window1; ++k)
@UNROLL_LAST@
      for (int l = 0; l < window2; ++l) {
        const Offset a = first[0] + i, b = first[1] + k, d = first[2] + l;
        visit(((image * axis0.x + nearest(0, a)) * axis1.x + nearest(1, b)) * axis2.x + nearest(2, d),
              lies_in(ranges[0], a) && lies_in(ranges[1], b) && lies_in(ranges[2], d),
              (i * window1 + k) * window2 + l);
      }
}
/// How many pixels of a window lie in x.
CORNU_DEVICE Offset count_of(const Axis& axis0, const Axis& axis1, const Axis& axis2,
                             const Offset* at) {
  return size_of(pixels_of(axis0, at[0])) * size_of(pixels_of(axis1, at[1])) *
         size_of(pixels_of(axis2, at[2]));
}
CORNU_DEVICE Real average(Real sum, Offset count) {
  return sum / static_cast<Real>(count > 0 ? count : 1);
}
)text";

// Where pack i is: image q, place `at`, channels from c on.
constexpr const char* place_text = R"text(
      Index q = divide(i, packs);
      const Index c = (i - q * packs.size) * pack;
      Offset at[3];
      for (int k = 2; k >= 0; --k) {
        const Index next = divide(q, k == 2 ? sizes2 : k == 1 ? sizes1 : sizes0);
        at[k] = static_cast<Offset>(q - next * (k == 2 ? sizes2 : k == 1 ? sizes1 : sizes0).size);
        q = next;
      }
      const Offset image = static_cast<Offset>(q);
)text";

constexpr const char* forward_text = R"text(
      Real total[pack];
#pragma unroll
      for (int e = 0; e < pack; ++e) total[e] = maximum ? lowest<Real>() : static_cast<Real>(0);
      each_pixel(axis0, axis1, axis2, image, at, [&](Offset pixel, bool inside, int) {
        const auto values = load_pack<pack>(x + pixel * channels + c);
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          const Real value = convert<Real>(values.v[e]);
          if constexpr (maximum) total[e] = max(total[e], inside ? value : lowest<Real>());
          else total[e] = static_cast<Real>(total[e] + (inside ? value : static_cast<Real>(0)));
        }
      });
      const Offset count = count_of(axis0, axis1, axis2, at);
      Pack<To, pack> result;
#pragma unroll
      for (int e = 0; e < pack; ++e)
        result.v[e] = convert<To>(maximum ? total[e] : average(total[e], count));
      store_pack<pack>(result, out + i * pack);
)text";

// The first maximum of window i among its pixels, of which NaN is the largest. Windows that see
// nothing but padding get a number that no pixel has.
constexpr const char* find_text = R"text(
      Real best[pack];
      int number[pack];
#pragma unroll
      for (int e = 0; e < pack; ++e) {
        best[e] = lowest<Real>();
        number[e] = -1;
      }
      each_pixel(axis0, axis1, axis2, image, at, [&](Offset pixel, bool inside, int place) {
        const auto values = load_pack<pack>(x + pixel * channels + c);
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          const Real value = convert<Real>(values.v[e]);
          // Without branches, which loads would wait behind.
          const bool more = (value > best[e]) | ((value != value) & (best[e] == best[e]));
          const bool takes = inside & (more | (number[e] < 0));
          best[e] = takes ? value : best[e];
          number[e] = takes ? place : number[e];
        }
      });
      Pack<Place, pack> result;
#pragma unroll
      for (int e = 0; e < pack; ++e) result.v[e] = static_cast<Place>(number[e]);
      store_pack<pack>(result, places + i * pack);
)text";

constexpr const char* overlapping_text = R"text(
      const Range w0 = windows_of(axis0, at[0]), w1 = windows_of(axis1, at[1]);
      const Range w2 = windows_of(axis2, at[2]);
      Real total[pack];
#pragma unroll
      for (int e = 0; e < pack; ++e) total[e] = 0;
      for (Offset u = w0.begin; u < w0.end; ++u)
        for (Offset v = w1.begin; v < w1.end; ++v)
          for (Offset w = w2.begin; w < w2.end; ++w) {
            const Offset window =
                (((image * axis0.y + u) * axis1.y + v) * axis2.y + w) * channels + c;
            const auto given = load_pack<pack>(dy + window);
            if constexpr (maximum) {
              const auto chosen = load_pack<pack>(places + window);
              const Offset own = ((at[0] - u * axis0.stride + axis0.pad) * window1 +
                                  (at[1] - v * axis1.stride + axis1.pad)) * window2 +
                                 (at[2] - w * axis2.stride + axis2.pad);
#pragma unroll
              for (int e = 0; e < pack; ++e)
                total[e] += chosen.v[e] == static_cast<Place>(own) ? convert<Real>(given.v[e])
                                                                  : static_cast<Real>(0);
            } else {
              const Offset window_at[3] = {u, v, w};
              const Offset count = count_of(axis0, axis1, axis2, window_at);
#pragma unroll
              for (int e = 0; e < pack; ++e) total[e] += average(convert<Real>(given.v[e]), count);
            }
          }
      if constexpr (relu) {
        const auto own = load_pack<pack>(x + i * pack);
#pragma unroll
        for (int e = 0; e < pack; ++e)
          if (!(convert<Real>(own.v[e]) > static_cast<Real>(0))) total[e] = 0;
      }
      Pack<To, pack> result;
#pragma unroll
      for (int e = 0; e < pack; ++e) result.v[e] = convert<To>(total[e]);
      store_pack<pack>(result, out + i * pack);
)text";

constexpr const char* apart_text = R"text(
      const Offset count = count_of(axis0, axis1, axis2, at);
      const auto gradients = load_pack<pack>(dy + i * pack);
      Real given[pack];
      Offset chosen[pack];
#pragma unroll
      for (int e = 0; e < pack; ++e) {
        given[e] = convert<Real>(gradients.v[e]);
        if constexpr (!maximum) given[e] = average(given[e], count);
        chosen[e] = -1;
      }
      if constexpr (maximum) {
        // Everything is read before anything is written, which may lie over it.
        const auto best = load_pack<pack>(y + i * pack);
        each_pixel(axis0, axis1, axis2, image, at, [&](Offset pixel, bool inside, int) {
          const auto values = load_pack<pack>(x + pixel * channels + c);
#pragma unroll
          for (int e = 0; e < pack; ++e) {
            const Real value = convert<Real>(values.v[e]);
            const bool equal = value == convert<Real>(best.v[e]) || value != value;
            const bool takes = inside && equal && chosen[e] < 0;
            if (takes && relu && !(value > static_cast<Real>(0))) given[e] = 0;
            chosen[e] = takes ? pixel : chosen[e];
          }
        });
      }
      const Range r0 = pixels_of(axis0, at[0]), r1 = pixels_of(axis1, at[1]);
      const Range r2 = pixels_of(axis2, at[2]);
      const Range c0 = cell_of(axis0, at[0]), c1 = cell_of(axis1, at[1]);
      const Range c2 = cell_of(axis2, at[2]);
      for (Offset a = c0.begin; a < c0.end; ++a)
        for (Offset b = c1.begin; b < c1.end; ++b)
          for (Offset d = c2.begin; d < c2.end; ++d) {
            const Offset pixel = ((image * axis0.x + a) * axis1.x + b) * axis2.x + d;
            const bool inside = lies_in(r0, a) && lies_in(r1, b) && lies_in(r2, d);
            Pack<To, pack> result;
#pragma unroll
            for (int e = 0; e < pack; ++e)
              result.v[e] = convert<To>((maximum ? pixel == chosen[e] : inside)
                                            ? given[e] : static_cast<Real>(0));
            store_pack<pack>(result, out + pixel * channels + c);
          }
)text";

// Channels that a thread takes at once: 16 bytes of the widest operand.
int64_t pack_of(int64_t channels, std::span<const Operand> inputs, const Operand& output,
                const PlanOptions& options) {
  size_t widest = size_of(output.dtype);
  for (const Operand& operand : inputs) widest = std::max(widest, size_of(operand.dtype));
  int64_t pack = std::clamp<int64_t>(options.alignment / static_cast<int64_t>(widest), 1, 8);
  while (channels % pack != 0) pack /= 2;
  return pack;
}

// What the kernels of a plan know.
class PoolPlanner {
 public:
  PoolPlanner(const Pool& kernel, std::span<const Operand> inputs, std::span<const Operand> outputs,
              const PlanOptions& options)
      : kernel_(kernel),
        inputs_(inputs),
        output_(outputs[0]),
        options_(options),
        y_shape_(kernel.backward ? *inputs[1].shape : *outputs[0].shape),
        pack_(pack_of(x_shape().back(), inputs, outputs[0], options)),
        workspace_(static_cast<int>(inputs.size() + outputs.size())) {}

  KernelPlan make() {
    if (!kernel_.backward) {
      add({"pool", forward_text, y_shape_});
      // Windows that see nothing but padding leave no cell.
    } else if (!kernel_.windows_overlap() && y_shape_.numel() > 0) {
      add({"pool_backward", apart_text, y_shape_});
    } else {
      if (kernel_.maximum && y_shape_.numel() > 0) {
        plan_.workspace_bytes = static_cast<size_t>(y_shape_.numel()) * place_bytes();
        add({"pool_find", find_text, y_shape_, "Place", false});
      }
      add({"pool_backward", overlapping_text, x_shape(), "const Place"});
    }
    return std::move(plan_);
  }

 private:
  const Shape& x_shape() const { return *inputs_[0].shape; }
  int64_t window() const {
    int64_t size = 1;
    for (const int64_t length : kernel_.window) size *= length;
    return size;
  }
  // Of the number of a pixel in its window, besides the one that no pixel has.
  size_t place_bytes() const { return window() < 0xFF ? 1 : window() < 0xFFFF ? 2 : 4; }

  // A kernel with a thread for each pack of elements of `shape`, which is y's or x's.
  struct Part {
    const char *kind, *code;
    const Shape& shape;
    const char* places = nullptr;  // the type of what lies in the workspace, if it is looked at
    bool writes = true;            // the output
  };
  void add(const Part& part) {
    const Operand& x = inputs_[0];
    DType type = product_type(inputs_.first(1), output_);
    if (!is_float(type)) type = is_signed_int(x.dtype) ? DType::int64 : DType::uint64;
    KernelText text(std::max(x_shape().numel(), y_shape_.numel()));
    text.type("From", x.dtype);
    text.type("Real", type);
    text.type("Place", unit_text(place_bytes()));
    text.constant("maximum", kernel_.maximum ? 1 : 0);
    text.constant("relu", kernel_.relu ? 1 : 0);
    text.constant("pack", pack_);
    text.pointer("x", 0, "const From");
    if (kernel_.backward && part.writes) {
      text.type("Y", inputs_[1].dtype);
      text.type("Dy", inputs_[2].dtype);
      text.pointer("y", 1, "const Y");
      text.pointer("dy", 2, "const Dy");
    }
    if (part.writes) {
      text.type("To", output_.dtype);
      text.pointer("out", static_cast<int>(inputs_.size()), "To");
    }
    if (part.places) text.pointer("places", workspace_, part.places);
    text.offset("channels", x_shape().back());
    text.divisor("packs", x_shape().back() / pack_);
    const int64_t count = part.shape.numel() / pack_;
    text.index("count", count);
    const bool small = window() <= 16;
    const std::string axes = name_axes(text, &part.shape == &y_shape_);
    plan_.stages.push_back(
        text.stage(part.kind,
                   with(with(functions, "@UNROLL@", small ? "#pragma unroll" : "#pragma unroll 1"),
                        "@UNROLL_LAST@", small ? "#pragma unroll" : "#pragma unroll 4"),
                   axes + loop_begin + place_text + part.code + loop_end,
                   loop_blocks(count, options_.multiprocessors)));
  }

  std::string name_axes(KernelText& text, bool of_y) const {
    const int spatial = x_shape().rank() - 2;
    std::string axes;
    for (int axis = 0; axis < 3; ++axis) {
      const int own = axis - 3 + spatial;
      const bool used = own >= 0;
      const size_t i = static_cast<size_t>(std::max(own, 0));
      const int64_t numbers[] = {used ? x_shape()[own + 1] : 1, used ? y_shape_[own + 1] : 1,
                                 used ? kernel_.window[i] : 1,
                                 used && i < kernel_.strides.size() ? kernel_.strides[i] : 1,
                                 used && i < kernel_.pad_low.size() ? kernel_.pad_low[i] : 0};
      const std::string number = std::to_string(axis), name = "axis" + number;
      axes += "  const Axis " + name + " = {";
      for (int k = 0; k < 5; ++k) {
        text.offset(name + "_" + std::to_string(k), numbers[k]);
        axes += (k > 0 ? ", " : "") + name + "_" + std::to_string(k);
      }
      axes += "};\n";
      text.divisor("sizes" + number, numbers[of_y ? 1 : 0]);
      text.constant("window" + number, numbers[2]);
    }
    return axes;
  }

  const Pool& kernel_;
  std::span<const Operand> inputs_;
  const Operand& output_;
  const PlanOptions& options_;
  const Shape& y_shape_;
  int64_t pack_;
  int workspace_;
  KernelPlan plan_;
};

}  // namespace

KernelPlan plan(const Pool& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  if (kernel.block != 0)
    throw UnsupportedError("Pool: channels in blocks of " + std::to_string(kernel.block) +
                           " are not for CUDA devices. Plan with channel_block() 0.");
  if (outputs[0].shape->numel() == 0) return {};
  return PoolPlanner(kernel, inputs, outputs, options).make();
}

}  // namespace cornu::backend::cuda
