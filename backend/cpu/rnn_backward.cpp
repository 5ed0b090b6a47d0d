// The backward pass of recurrent layers. Each thread walks back through all steps with its own rows
// of the batch and keeps the gradients of the pre-activations; then the threads share the columns
// of the weights, whose gradients are products over all rows and steps.
#include "parallel.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/rnn_backward.cpp"
#include <hwy/foreach_target.h>

#include "rnn_gates-inl.h"
#include "rnn_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace rnn {

/// Rows of a panel that a tile sums before the next tile begins: 16 KiB, so that they stay in the
/// nearest cache.
template <class T>
inline constexpr int64_t rows_at_once = 16384 / (panel_width<T> * static_cast<int64_t>(sizeof(T)));

/// Both weights, transposed, panel by panel of their rows: those of the recurrent weights, then
/// those of the kernel. The rows of a panel are the groups that the weights take part in, padded to
/// whole panels.
template <class T>
class BackwardWeights {
 public:
  explicit BackwardWeights(const RnnArrays<T>& a)
      : groups_(groups_of(a.cell)),
        unit_panels_(panels_of<T>(a.units)),
        input_panels_(panels_of<T>(a.features)),
        group_size_(unit_panels_ * panel_width<T> * panel_width<T>),
        scratch_((unit_panels_ + input_panels_) * groups_.count * group_size_) {
    const int64_t count = unit_panels_ + input_panels_;
    parallel_for(count, count * groups_.count * group_size_, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        for (int g = 0; g < groups_.count; ++g) pack(a, p, g);
    });
  }
  const T* of(int64_t panel, int group) const {
    return scratch_.data() + (panel * groups_.count + group) * group_size_;
  }

 private:
  void pack(const RnnArrays<T>& a, int64_t p, int g) {
    constexpr int64_t width = panel_width<T>;
    const bool recurrent = p < unit_panels_;
    const int source = recurrent ? groups_.at[g].recurrent : groups_.at[g].kernel;
    if (source < 0) return;
    const int64_t stride = a.gate_count() * a.units;
    const int64_t first = (recurrent ? p : p - unit_panels_) * width;
    const int64_t count = std::min(width, (recurrent ? a.units : a.features) - first);
    const T* from = (recurrent ? a.recurrent : a.kernel) + first * stride + source * a.units;
    T* const to = const_cast<T*>(of(p, g));
    std::fill_n(to, group_size_, T(0));
    for (int64_t i = 0; i < count; ++i, from += stride)
      for (int64_t unit = 0; unit < a.units; ++unit) to[unit * width + i] = from[unit];
  }

  RnnGroups groups_;
  int64_t unit_panels_, input_panels_, group_size_;
  ScratchOf<T> scratch_;
};

/// What the walk leaves for the gradients of the weights: matrices of panels with a row for each
/// step and row of the batch.
template <class T>
struct Kept {
  explicit Kept(const RnnArrays<T>& a)
      : rows(a.time * a.batch),
        block(rows * panel_width<T>),
        unit_panels(panels_of<T>(a.units)),
        input_panels(panels_of<T>(a.features)),
        inputs((unit_panels + input_panels) * block),
        dz(groups_of(a.cell).count * unit_panels * block) {}

  int64_t rows, block, unit_panels, input_panels;
  ScratchOf<T> inputs;  // the state before the step, then x
  ScratchOf<T> dz;      // of each group
};

/// A vector of units of one row at one step.
template <class T>
struct BackwardUnits {
  int64_t count, units;
  const T *gates, *extra, *c_before, *h_before, *y, *dy;
  T *dh, *dc;
  T* dz[2];  // the walk's own and the one that is kept
  int64_t dz_stride[2];
};

template <class T>
HWY_INLINE Vector<T> one_minus(Vector<T> a, Vector<T> b) {  // 1 - a b
  return {hn::NegMulAdd(a.raw, b.raw, splat<T>(1).raw)};
}

/// Fills dz, and puts into dh and dc what goes to the step before without passing a product.
template <RnnCell Cell, class T>
HWY_INLINE void backward_units(const BackwardUnits<T>& u) {
  const Vector<T> one = splat<T>(1);
  const auto some = [&](const T* from) { return load_some(from, u.count); };
  const auto give = [&](int group, Vector<T> value) {
    for (int i = 0; i < 2; ++i) store(value, u.dz[i] + group * u.dz_stride[i]);
  };
  Vector<T> dh = load(u.dh);
  if (u.dy != nullptr) dh = dh + some(u.dy);
  if constexpr (Cell == RnnCell::lstm) {
    const Vector<T> i = some(u.gates), f = some(u.gates + u.units);
    const Vector<T> g = some(u.gates + 2 * u.units), o = some(u.gates + 3 * u.units);
    // Computed again: tanh is cheaper than another array of (time, batch, units).
    const Vector<T> squashed = gate_tanh(some(u.extra));
    const Vector<T> dc = fma(dh * o, one_minus(squashed, squashed), load(u.dc));
    give(0, dc * g * i * (one - i));
    give(1, dc * some(u.c_before) * f * (one - f));
    give(2, dc * i * one_minus(g, g));
    give(3, dh * squashed * o * (one - o));
    // The cell state passes to the step before through the forget gate alone.
    store(dc * f, u.dc);
  } else if constexpr (Cell == RnnCell::gru) {
    const Vector<T> update = some(u.gates), reset = some(u.gates + u.units);
    const Vector<T> g = some(u.gates + 2 * u.units);
    const Vector<T> dg = dh * (one - update) * one_minus(g, g);
    give(0, dg);
    give(1, dh * (some(u.h_before) - g) * update * (one - update));
    give(2, dg * some(u.extra) * reset * (one - reset));
    give(3, dg * reset);
    store(dh * update, u.dh);
  } else {
    const Vector<T> h = some(u.y);
    give(0, dh * one_minus(h, h));
  }
}

/// Some rows of the batch back through all steps.
template <RnnCell Cell, class T>
class BackwardWalk {
 public:
  /// Elements of scratch memory for one row.
  static int64_t scratch_per_row(const RnnArrays<T>& a) {
    return ((groups.count + 2) * panels_of<T>(a.units) + 1) * panel_width<T>;
  }

  BackwardWalk(const RnnArrays<T>& a, const BackwardWeights<T>& weights, const Kept<T>& kept,
               int64_t begin, int64_t end, T* scratch)
      : a_(a),
        weights_(weights),
        kept_(kept),
        begin_(begin),
        rows_(end - begin),
        block_(rows_ * panel_width<T>),
        panels_(kept.unit_panels),
        dz_(scratch),
        dh_(dz_ + groups.count * panels_ * block_),
        dc_(dh_ + panels_ * block_),
        dx_(dc_ + panels_ * block_) {}

  void run() {
    const int64_t units = a_.units;
    // What lies beyond the last unit must be finite, as it meets the padding of the weights.
    std::fill_n(dz_, groups.count * panels_ * block_, T(0));
    begin_state(a_.dh, dh_);
    begin_state(a_.dc, dc_);
    for (int64_t t = a_.time; t-- > 0;) {
      keep_inputs(t);
      for (int64_t p = 0; p < panels_; ++p) differentiate(t, p);
      for (int64_t p = 0; p < panels_; ++p)
        multiply(p, groups.first_recurrent, groups.count, Cell == RnnCell::gru, dh_ + p * block_);
      for (int64_t p = 0; p < kept_.input_panels; ++p) {
        multiply(panels_ + p, 0, groups.with_kernel, false, dx_);
        const int64_t first = p * panel_width<T>;
        unpack_panels(dx_, 0, rows_, std::min(panel_width<T>, a_.features - first),
                      a_.dx + (begin_ * a_.time + a_.x_time(t)) * a_.features + first,
                      a_.time * a_.features);
      }
    }
    unpack_panels(dh_, block_, rows_, units, a_.dh0 + begin_ * units, units);
    if (Cell == RnnCell::lstm)
      unpack_panels(dc_, block_, rows_, units, a_.dc0 + begin_ * units, units);
  }

 private:
  static constexpr RnnGroups groups = groups_of(Cell);

  void begin_state(const T* gradient, T* to) {
    if (gradient == nullptr)
      std::fill_n(to, panels_ * block_, T(0));
    else
      pack_panels(gradient + begin_ * a_.units, a_.units, rows_, a_.units, to, block_);
  }

  // The state before step t, and where the next row of the batch has its own.
  std::pair<const T*, int64_t> state_before(int64_t t, int64_t row) const {
    if (t == 0) return {a_.h0 + row * a_.units, a_.units};
    return {a_.y + (row * a_.time + t - 1) * a_.units, a_.time * a_.units};
  }

  void keep_inputs(int64_t t) {
    T* const to = kept_.inputs.data() + (t * a_.batch + begin_) * panel_width<T>;
    const auto [state, stride] = state_before(t, begin_);
    pack_panels(state, stride, rows_, a_.units, to, kept_.block);
    pack_panels(a_.x + (begin_ * a_.time + a_.x_time(t)) * a_.features, a_.time * a_.features,
                rows_, a_.features, to + panels_ * kept_.block, kept_.block);
  }

  void differentiate(int64_t t, int64_t p) {
    constexpr int64_t width = panel_width<T>;
    const int64_t units = a_.units;
    for (int64_t r = 0; r < rows_; ++r) {
      const int64_t row = begin_ + r, place = t * a_.batch + row;
      const T* const h_before = state_before(t, row).first;
      const T* const y = a_.y + (row * a_.time + t) * units;
      for_each_vector<T>(p, units, [&](int64_t unit, int64_t offset, int64_t count) HWY_ATTR {
        const int64_t at = p * block_ + r * width + offset;
        BackwardUnits<T> u{};
        u.count = count;
        u.units = units;
        if constexpr (Cell != RnnCell::simple) {
          u.gates = a_.gates + place * a_.gate_count() * units + unit;
          u.extra = a_.extra + place * units + unit;
        }
        if constexpr (Cell == RnnCell::lstm)
          u.c_before = t == 0 ? a_.c0 + row * units + unit : u.extra - a_.batch * units;
        u.h_before = h_before + unit;
        u.y = y + unit;
        if (a_.dy != nullptr) u.dy = a_.dy + (row * a_.time + t) * units + unit;
        u.dh = dh_ + at;
        u.dc = dc_ + at;
        u.dz[0] = dz_ + at;
        u.dz_stride[0] = panels_ * block_;
        u.dz[1] = kept_.dz.data() + p * kept_.block + place * width + offset;
        u.dz_stride[1] = panels_ * kept_.block;
        backward_units<Cell>(u);
      });
    }
  }

  // c = (or +=) dz times a panel of the transposed weights, over groups [first, last).
  void multiply(int64_t panel, int first, int last, bool add, T* c) {
    constexpr int64_t width = panel_width<T>, at_once = rows_at_once<T> / width;
    const T* const weights = weights_.of(panel, 0);
    for (int64_t k = first * panels_; k < last * panels_; k += at_once, add = true)
      panel_product(TileInput<T, true>{dz_ + k * block_, block_}, weights + k * width * width,
                    rows_, std::min(at_once, last * panels_ - k) * width,
                    add ? Start::sum : Start::zero, static_cast<const T*>(nullptr), c);
  }

  const RnnArrays<T>& a_;
  const BackwardWeights<T>& weights_;
  const Kept<T>& kept_;
  int64_t begin_, rows_, block_, panels_;
  // Panels: of this step's pre-activations group by group, of the states' gradients, one of x's.
  T *dz_, *dh_, *dc_, *dx_;
};

/// The gradients of the weights for some panels of their columns.
template <class T>
class WeightGradients {
 public:
  /// Elements of scratch memory for one panel.
  static int64_t scratch_per_panel(const Kept<T>& kept) {
    return ((kept.unit_panels + kept.input_panels) * panel_width<T> + 1) * panel_width<T>;
  }

  WeightGradients(const RnnArrays<T>& a, const Kept<T>& kept, int64_t begin, int64_t end,
                  T* scratch)
      : a_(a), kept_(kept), begin_(begin), end_(end), scratch_(scratch) {}

  void run() {
    for (int64_t row = 0; row < kept_.rows; row += rows_at_once<T>)
      for (int64_t p = begin_; p < end_; ++p) add_rows(p, row);
    for (int64_t p = begin_; p < end_; ++p) give(p);
  }

 private:
  static constexpr int64_t width = panel_width<T>;

  RnnGroup group(int64_t panel) const { return groups_of(a_.cell).at[panel / kept_.unit_panels]; }
  T* sums(int64_t panel) const { return scratch_ + (panel - begin_) * scratch_per_panel(kept_); }
  T* bias(int64_t panel) const { return sums(panel + 1) - width; }

  void add_rows(int64_t panel, int64_t row) {
    const int64_t count = std::min(rows_at_once<T>, kept_.rows - row);
    const T* const dz = kept_.dz.data() + panel * kept_.block + row * width;
    const auto multiply = [&](int64_t first, int64_t panels, int64_t columns) {
      for (int64_t m = first; m < first + panels; ++m)
        panel_product(TileInput<T, false>{kept_.inputs.data() + m * kept_.block + row * width, 0},
                      dz, std::min(width, columns - (m - first) * width), count,
                      row == 0 ? Start::zero : Start::sum, static_cast<const T*>(nullptr),
                      sums(panel) + m * width * width);
    };
    if (group(panel).recurrent >= 0) multiply(0, kept_.unit_panels, a_.units);
    if (group(panel).kernel >= 0) multiply(kept_.unit_panels, kept_.input_panels, a_.features);
    if (a_.dbias == nullptr) return;
    for (int64_t v = 0; v < width; v += width / 2) {
      Vector<T> sum = splat<T>(0);
      for (int64_t r = 0; r < count; ++r) sum = sum + load(dz + r * width + v);
      T* const to = bias(panel) + v;
      store(row == 0 ? sum : load(to) + sum, to);
    }
  }

  void give(int64_t panel) {
    const int64_t units = a_.units, stride = a_.gate_count() * units;
    const int64_t first = panel % kept_.unit_panels * width, n = std::min(width, units - first);
    const RnnGroup g = group(panel);
    if (g.recurrent >= 0) {
      T* const to = a_.drecurrent + g.recurrent * units + first;
      unpack_panels(sums(panel), 0, units, n, to, stride);
      if (a_.dbias != nullptr && a_.cell == RnnCell::gru)
        std::copy_n(bias(panel), n, a_.dbias + stride + g.recurrent * units + first);
    }
    if (g.kernel >= 0) {
      T* const to = a_.dkernel + g.kernel * units + first;
      unpack_panels(sums(panel) + kept_.unit_panels * width * width, 0, a_.features, n, to, stride);
      if (a_.dbias != nullptr) std::copy_n(bias(panel), n, a_.dbias + g.kernel * units + first);
    }
  }

  const RnnArrays<T>& a_;
  const Kept<T>& kept_;
  int64_t begin_, end_;
  T* scratch_;
};

template <RnnCell Cell, class T>
void backward_cell(const RnnArrays<T>& a) {
  const Kept<T> kept(a);
  const int64_t work = a.batch * a.time * a.gate_count() * a.units * (a.units + a.features) / 5;
  {
    // In a scope of its own: the packed weights go before the gradients' sums are allocated.
    const BackwardWeights<T> weights(a);
    const int64_t per_row = BackwardWalk<Cell, T>::scratch_per_row(a);
    const ScratchOf<T> scratch(a.batch * per_row);
    share_out(a.batch, work, [&](int64_t begin, int64_t end) {
      BackwardWalk<Cell, T>(a, weights, kept, begin, end, scratch.data() + begin * per_row).run();
    });
  }
  const int64_t panels = groups_of(Cell).count * kept.unit_panels;
  const int64_t per_panel = WeightGradients<T>::scratch_per_panel(kept);
  const ScratchOf<T> scratch(panels * per_panel);
  share_out(panels, work, [&](int64_t begin, int64_t end) {
    WeightGradients<T>(a, kept, begin, end, scratch.data() + begin * per_panel).run();
  });
}

template <class T>
void backward(const RnnArrays<T>& a) {
  switch (a.cell) {
    case RnnCell::lstm:
      return backward_cell<RnnCell::lstm>(a);
    case RnnCell::gru:
      return backward_cell<RnnCell::gru>(a);
    case RnnCell::simple:
      return backward_cell<RnnCell::simple>(a);
  }
}

}  // namespace rnn

void rnn_backward_float32(const RnnArrays<float>& a) { rnn::backward(a); }
void rnn_backward_float64(const RnnArrays<double>& a) { rnn::backward(a); }

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {

HWY_EXPORT(rnn_backward_float32);
HWY_EXPORT(rnn_backward_float64);

void rnn_backward(const RnnArrays<float>& a) { HWY_DYNAMIC_DISPATCH(rnn_backward_float32)(a); }
void rnn_backward(const RnnArrays<double>& a) { HWY_DYNAMIC_DISPATCH(rnn_backward_float64)(a); }

}  // namespace cornu::backend::cpu
#endif
