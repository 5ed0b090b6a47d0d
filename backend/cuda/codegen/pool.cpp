// Pooling: a thread for each element of y forwards, or for a few channels. Backwards, where windows
// do not overlap, also: it writes its window and what lies between that and the next ones, which
// nobody else reads. Else each thread has a cell of x, as many pixels along each axis as a window
// moves on: the same few windows reach all of them, so it reads these at once, and where each pixel
// lies in each of them is known when the text is compiled. Where many windows reach a pixel, a
// thread has one pixel and goes through them. So no two threads add to one place. Before that, of
// maxima, a kernel notes where each window has its first one.
#include <algorithm>

#include "../../error.h"
#include "codegen.h"
#include "kernel_text.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* pool_functions = R"text(
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

constexpr const char* pool_forward_text = R"text(
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
// nothing but padding get a number that no pixel has, as do those whose gradient a relu stops.
constexpr const char* find_text = R"text(
      // The first pixel that is in x has it unless a larger one follows.
      int first = 0;
      const Axis axes[3] = {axis0, axis1, axis2};
      const int windows[3] = {window0, window1, window2};
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        const Range range = pixels_of(axes[k], at[k]);
        const Offset skipped = range.begin - (at[k] * axes[k].stride - axes[k].pad);
        first = first * windows[k] + static_cast<int>(skipped);
      }
      if (count_of(axis0, axis1, axis2, at) == 0) first = -1;
      Real best[pack];
      int number[pack];
#pragma unroll
      for (int e = 0; e < pack; ++e) {
        best[e] = lowest<Real>();
        number[e] = first;
      }
      each_pixel(axis0, axis1, axis2, image, at, [&](Offset pixel, bool inside, int place) {
        const auto values = load_pack<pack>(x + pixel * channels + c);
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          const Real value = convert<Real>(values.v[e]);
          // More, or NaN after a number. Without branches, which loads would wait behind.
          const bool takes = inside & !(value <= best[e]) & (best[e] == best[e]);
          best[e] = takes ? value : best[e];
          number[e] = takes ? place : number[e];
        }
      });
      Pack<Place, pack> result;
#pragma unroll
      for (int e = 0; e < pack; ++e) {
        const bool stopped = relu && !(best[e] > static_cast<Real>(0));
        result.v[e] = static_cast<Place>(stopped ? -1 : number[e]);
      }
      store_pack<pack>(result, places + i * pack);
)text";

// Cell i, that many windows reach along each axis: those that start in it and the ones before them.
// A window that does not exist gives 0, and is read as the nearest one: no load depends on a
// condition.
constexpr const char* cell_text = R"text(
      const Axis axes[3] = {axis0, axis1, axis2};
      const int reaches[3] = {reach0, reach1, reach2};
      // The first pixel of the cell, and the first window that reaches it.
      Offset corner[3], from[3];
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        const Offset cell = at[k] + axes[k].pad / axes[k].stride;
        corner[k] = cell * axes[k].stride - axes[k].pad;
        from[k] = cell - (reaches[k] - 1);
      }
      constexpr int reach = reach0 * reach1 * reach2;
      Pack<Given, pack> given[reach];
      Pack<Place, pack> chosen[reach];
      bool exists[reach];
#pragma unroll
      for (int j = 0; j < reach; ++j) {
        const Offset window_at[3] = {from[0] + j / (reach1 * reach2),
                                     from[1] + j / reach2 % reach1, from[2] + j % reach2};
        exists[j] = true;
        Offset window = image;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          const Offset u = window_at[k], last = axes[k].y - 1;
          exists[j] = exists[j] & (u >= 0) & (u <= last);
          window = window * axes[k].y + (u < 0 ? 0 : u < last ? u : last);
        }
        window = window * channels + c;
        const auto gradients = load_pack<pack>(dy + window);
        if constexpr (maximum) chosen[j] = load_pack<pack>(places + window);
        const Offset count = maximum ? 0 : count_of(axis0, axis1, axis2, window_at);
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          if constexpr (maximum) {
            given[j].v[e] = convert<Given>(gradients.v[e]);
          } else {
            const Real part = average(convert<Real>(gradients.v[e]), count);
            given[j].v[e] = convert<Given>(exists[j] ? part : static_cast<Real>(0));
          }
        }
      }
      // Backwards: only the first pixel is in all these windows. The compiler would defer the loads
      // that it alone needs, but not past a store.
#pragma unroll
      for (int a = stride0 - 1; a >= 0; --a)
#pragma unroll
        for (int b = stride1 - 1; b >= 0; --b)
#pragma unroll
          for (int d = stride2 - 1; d >= 0; --d) {
            Real total[pack];
#pragma unroll
            for (int e = 0; e < pack; ++e) total[e] = 0;
#pragma unroll
            for (int j = 0; j < reach; ++j) {
              const int own0 = a + (reach0 - 1 - j / (reach1 * reach2)) * stride0;
              const int own1 = b + (reach1 - 1 - j / reach2 % reach1) * stride1;
              const int own2 = d + (reach2 - 1 - j % reach2) * stride2;
              if (own0 >= window0 || own1 >= window1 || own2 >= window2) continue;
              // No window has chosen the number behind its last pixel's.
              const Place own = static_cast<Place>(
                  exists[j] ? (own0 * window1 + own1) * window2 + own2
                            : window0 * window1 * window2);
#pragma unroll
              for (int e = 0; e < pack; ++e) {
                const Real value = convert<Real>(given[j].v[e]);
                total[e] += !maximum || chosen[j].v[e] == own ? value : static_cast<Real>(0);
              }
            }
            const Offset p0 = corner[0] + a, p1 = corner[1] + b, p2 = corner[2] + d;
            const bool inside = (p0 >= 0) & (p0 < axis0.x) & (p1 >= 0) & (p1 < axis1.x) &
                                (p2 >= 0) & (p2 < axis2.x);
            Pack<To, pack> result;
#pragma unroll
            for (int e = 0; e < pack; ++e) result.v[e] = convert<To>(total[e]);
            if (inside)
              store_pack<pack>(result, out + (((image * axis0.x + p0) * axis1.x + p1) * axis2.x + p2) *
                                                 channels + c);
          }
)text";

constexpr const char* overlapping_text = R"text(
      const Range w0 = windows_of(axis0, at[0]), w1 = windows_of(axis1, at[1]);
      const Range w2 = windows_of(axis2, at[2]);
      Real total[pack];
#pragma unroll
      for (int e = 0; e < pack; ++e) total[e] = 0;
      for (Offset u = w0.begin; u < w0.end; ++u)
        for (Offset v = w1.begin; v < w1.end; ++v)
#pragma unroll 4
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
      add({"pool", pool_forward_text, y_shape_});
      // Windows that see nothing but padding leave no cell.
    } else if (!kernel_.windows_overlap() && y_shape_.numel() > 0) {
      add({"pool_backward", apart_text, y_shape_});
    } else {
      if (kernel_.maximum && y_shape_.numel() > 0) {
        plan_.workspace_bytes = static_cast<size_t>(y_shape_.numel()) * place_bytes();
        add({"pool_find", find_text, y_shape_, "Place", false});
      }
      if (has_cells())
        add({"pool_backward", cell_text, cells(), "const Place"});
      else
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
  // Of the number of a pixel in its window, besides two that no pixel has.
  size_t place_bytes() const { return window() < 0xFF ? 1 : window() < 0xFFFF ? 2 : 4; }

  // Numbers of the last three axes but the channels; those that are not there have one window.
  struct AxisNumbers {
    int64_t x = 1, y = 1, window = 1, stride = 1, pad = 0;
    int64_t reach() const { return (window + stride - 1) / stride; }  // windows that reach a cell
    int64_t cells() const { return (x - 1 + pad) / stride - pad / stride + 1; }
  };
  AxisNumbers axis(int number) const {
    const int own = number - 3 + x_shape().rank() - 2;
    if (own < 0) return {};
    const auto i = static_cast<size_t>(own);
    AxisNumbers made{x_shape()[own + 1], y_shape_[own + 1], kernel_.window[i]};
    if (i < kernel_.strides.size()) made.stride = kernel_.strides[i];
    if (i < kernel_.pad_low.size()) made.pad = kernel_.pad_low[i];
    // How far a single window would move does not matter, but the text has it as an int.
    if (made.y <= 1) made.stride = std::min(made.stride, std::max<int64_t>(made.x + made.pad, 1));
    return made;
  }
  // Whether the pixels of a cell and the windows that reach it fit the registers of a thread.
  bool has_cells() const {
    int64_t reach = 1, cell = 1;
    for (int k = 0; k < 3; ++k) {
      reach *= axis(k).reach();
      cell *= axis(k).stride;
    }
    return y_shape_.numel() > 0 && reach <= 9 && cell <= 9 && window() <= 36;
  }
  Shape cells() const {
    Shape shape = x_shape();
    for (int own = 0; own < shape.rank() - 2; ++own)
      shape[own + 1] = axis(own + 3 - (shape.rank() - 2)).cells();
    return shape;
  }

  // A kernel with a thread for each pack of elements of `shape`, which is y's or x's, or of cells.
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
      text.type("Given", kernel_.maximum ? "Dy" : "Real");
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
    const std::string axes = name_axes(text, part.shape);
    plan_.stages.push_back(text.stage(
        part.kind,
        with(with(pool_functions, "@UNROLL@", small ? "#pragma unroll" : "#pragma unroll 1"),
             "@UNROLL_LAST@", small ? "#pragma unroll" : "#pragma unroll 4"),
        axes + loop_begin + place_text + part.code + loop_end,
        loop_blocks(count, options_.multiprocessors)));
  }

  // `shape`: what the threads go through.
  std::string name_axes(KernelText& text, const Shape& shape) const {
    std::string axes;
    for (int k = 0; k < 3; ++k) {
      const AxisNumbers numbers = axis(k);
      const std::string number = std::to_string(k), name = "axis" + number;
      const int own = k - 3 + shape.rank() - 2;
      const auto add = own < 0 ? &KernelText::constant : &KernelText::offset;
      (text.*add)(name + "_x", numbers.x);
      (text.*add)(name + "_y", numbers.y);
      (text.*add)(name + "_pad", numbers.pad);
      // Windows and how far they move are few in a program, and divisions by constants are fast.
      text.constant("window" + number, numbers.window);
      text.constant("stride" + number, numbers.stride);
      text.constant("reach" + number, numbers.reach());
      text.divisor("sizes" + number, own < 0 ? 1 : shape[own + 1]);
      axes += with("  const Axis axis@ = {axis@_x, axis@_y, window@, stride@, axis@_pad};\n", "@",
                   number);
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
