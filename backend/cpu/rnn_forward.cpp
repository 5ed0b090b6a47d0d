// The forward pass of recurrent layers. Each thread walks through all steps with its own rows of
// the batch, so threads meet only at the end. A step multiplies (h, x) by both weights at once.
#include "parallel.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/rnn_forward.cpp"
#include <hwy/foreach_target.h>

#include "rnn_gates-inl.h"
#include "rnn_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace rnn {

/// Both weights and the biases, panel by panel: for each panel of units and each group the rows of
/// the recurrent weights and then those of the kernel.
// Packed once per call and read in each step: the walk then loads whole vectors in order.
template <class T>
class ForwardWeights {
 public:
  explicit ForwardWeights(const RnnArrays<T>& a)
      : groups_(groups_of(a.cell)),
        panels_(panels_of<T>(a.units)),
        state_rows_(panels_ * panel_width<T>),
        rows_(state_rows_ + a.features),
        scratch_(panels_ * groups_.count * (rows_ + 1) * panel_width<T>),
        bias_(scratch_.data() + panels_ * groups_.count * rows_ * panel_width<T>) {
    parallel_for(panels_, panels_ * groups_.count * rows_ * panel_width<T>,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t p = begin; p < end; ++p)
                     for (int g = 0; g < groups_.count; ++g) pack(a, p, g);
                 });
  }
  /// The rows for the states, padded to whole panels; those for the inputs follow.
  const T* of(int64_t panel, int group) const {
    return scratch_.data() + (panel * groups_.count + group) * rows_ * panel_width<T>;
  }
  const T* bias(int64_t panel, int group) const {
    return bias_ + (panel * groups_.count + group) * panel_width<T>;
  }

 private:
  void pack(const RnnArrays<T>& a, int64_t p, int g) {
    constexpr int64_t width = panel_width<T>;
    const RnnGroup group = groups_.at[g];
    const int64_t stride = a.gate_count() * a.units, first = p * width;
    T* to = const_cast<T*>(of(p, g));
    if (group.recurrent >= 0) {
      pack_panel(a.recurrent + group.recurrent * a.units, stride, a.units, first, a.units, to);
      // Padded rows meet padded states; zeros on both sides also keep NaN from unused memory out.
      std::fill(to + a.units * width, to + state_rows_ * width, T(0));
    }
    if (group.kernel >= 0)
      pack_panel(a.kernel + group.kernel * a.units, stride, a.features, first, a.units,
                 to + state_rows_ * width);
    T* const bias = const_cast<T*>(this->bias(p, g));
    std::fill(bias, bias + width, T(0));
    if (a.bias == nullptr) return;
    // The second row of GRU's biases belongs to the states.
    const T* const input_bias = a.bias + group.kernel * a.units;
    const T* const state_bias = a.bias + stride + group.recurrent * a.units;
    for (int64_t u = first; u < std::min(first + width, a.units); ++u) {
      if (group.kernel >= 0) bias[u - first] += input_bias[u];
      if (a.cell == RnnCell::gru && group.recurrent >= 0) bias[u - first] += state_bias[u];
    }
  }

  RnnGroups groups_;
  int64_t panels_, state_rows_, rows_;
  ScratchOf<T> scratch_;
  T* bias_;
};

/// A vector of units of one row at one step.
template <class T>
struct ForwardUnits {
  const T* z;  // pre-activations, groups `group_stride` apart
  int64_t group_stride;
  int64_t count;  // lanes that are units
  int64_t units;
  const T *h_before, *c_before;
  T *gates, *extra;  // of the first of these units
};

template <RnnCell Cell, class T>
HWY_INLINE Vector<T> forward_units(const ForwardUnits<T>& u) {
  const auto z = [&](int group) { return load(u.z + group * u.group_stride); };
  const auto keep = [&](int gate, Vector<T> value) {
    store_some(value, u.gates + gate * u.units, u.count);
  };
  if constexpr (Cell == RnnCell::lstm) {
    const Vector<T> i = gate_sigmoid(z(0)), f = gate_sigmoid(z(1));
    const Vector<T> g = gate_tanh(z(2)), o = gate_sigmoid(z(3));
    const Vector<T> c = fma(f, load_some(u.c_before, u.count), i * g);
    keep(0, i);
    keep(1, f);
    keep(2, g);
    keep(3, o);
    store_some(c, u.extra, u.count);
    return o * gate_tanh(c);
  } else if constexpr (Cell == RnnCell::gru) {
    const Vector<T> update = gate_sigmoid(z(1)), reset = gate_sigmoid(z(2)), recurrent = z(3);
    const Vector<T> g = gate_tanh(fma(reset, recurrent, z(0)));
    keep(0, update);
    keep(1, reset);
    keep(2, g);
    store_some(recurrent, u.extra, u.count);
    // update * h + (1 - update) * g with one multiplication less.
    return fma(update, load(u.h_before) - g, g);
  } else {
    return gate_tanh(z(0));
  }
}

/// Some rows of the batch through all steps.
template <RnnCell Cell, class T>
class ForwardWalk {
 public:
  /// Elements of scratch memory for one row.
  static int64_t scratch_per_row(const RnnArrays<T>& a) {
    return (2 * (panels_of<T>(a.units) + panels_of<T>(a.features)) + groups.count) * panel_width<T>;
  }

  ForwardWalk(const RnnArrays<T>& a, const ForwardWeights<T>& weights, int64_t begin, int64_t end,
              T* scratch)
      : a_(a),
        weights_(weights),
        begin_(begin),
        rows_(end - begin),
        panels_(panels_of<T>(a.units)) {
    // (h, x) of this step and of the next.
    for (T*& input : inputs_) {
      input = scratch;
      scratch += (panels_ + panels_of<T>(a.features)) * rows_ * panel_width<T>;
    }
    z_ = scratch;
  }

  void run() {
    const int64_t block = rows_ * panel_width<T>;
    pack_panels(a_.h0 + begin_ * a_.units, a_.units, rows_, a_.units, inputs_[0], block);
    // Beyond the last unit are zeros, which meet the padding of the weights.
    // The two inputs take turns, so both need their padding zeroed once.
    std::fill_n(inputs_[1], panels_ * block, T(0));
    for (int64_t t = 0; t < a_.time; ++t) {
      pack_panels(a_.x + (begin_ * a_.time + a_.x_time(t)) * a_.features, a_.time * a_.features,
                  rows_, a_.features, inputs_[t % 2] + panels_ * block, block);
      for (int64_t p = 0; p < panels_; ++p) {
        for (int g = 0; g < groups.count; ++g) multiply(t, p, g);
        activate(t, p);
      }
    }
    const int64_t last = a_.time - 1;
    for (int64_t r = begin_; r < begin_ + rows_; ++r) {
      std::copy_n(a_.y + (r * a_.time + last) * a_.units, a_.units, a_.h + r * a_.units);
      if (Cell == RnnCell::lstm)
        std::copy_n(a_.extra + (last * a_.batch + r) * a_.units, a_.units, a_.c + r * a_.units);
    }
  }

 private:
  static constexpr RnnGroups groups = groups_of(Cell);

  void multiply(int64_t t, int64_t p, int g) {
    constexpr int64_t width = panel_width<T>;
    const RnnGroup group = groups.at[g];
    const int64_t state_rows = panels_ * width, block = rows_ * width;
    const int64_t first = group.recurrent >= 0 ? 0 : state_rows;
    const int64_t last = group.kernel >= 0 ? state_rows + a_.features : state_rows;
    panel_product(TileInput<T, true>{inputs_[t % 2] + first * rows_, block},
                  weights_.of(p, g) + first * width, rows_, last - first, Start::bias,
                  weights_.bias(p, g), z_ + g * block);
  }

  void activate(int64_t t, int64_t p) {
    constexpr int64_t width = panel_width<T>;
    const int64_t units = a_.units, block = rows_ * width;
    const T* const before = inputs_[t % 2] + p * block;
    T* const after = inputs_[(t + 1) % 2] + p * block;
    for (int64_t r = 0; r < rows_; ++r) {
      const int64_t row = begin_ + r, place = t * a_.batch + row;
      const T* const c_before = Cell != RnnCell::lstm ? nullptr
                                : t == 0              ? a_.c0 + row * units
                                                      : a_.extra + (place - a_.batch) * units;
      T* const y = a_.y + (row * a_.time + t) * units;
      for_each_vector<T>(p, units, [&](int64_t unit, int64_t offset, int64_t count) HWY_ATTR {
        const int64_t at = r * width + offset;
        ForwardUnits<T> u{z_ + at, block, count, units, before + at, nullptr, nullptr, nullptr};
        if constexpr (Cell == RnnCell::lstm) u.c_before = c_before + unit;
        if constexpr (Cell != RnnCell::simple) {
          u.gates = a_.gates + place * a_.gate_count() * units + unit;
          u.extra = a_.extra + place * units + unit;
        }
        const Vector<T> h = forward_units<Cell>(u);
        store_some(h, y + unit, count);
        store(keep_some(h, count), after + at);
      });
    }
  }

  const RnnArrays<T>& a_;
  const ForwardWeights<T>& weights_;
  int64_t begin_, rows_, panels_;
  T* inputs_[2];  // panels of h, then of x
  T* z_;          // (groups, rows, panel_width): pre-activations of one panel of units
};

template <RnnCell Cell, class T>
void forward_cell(const RnnArrays<T>& a) {
  const ForwardWeights<T> weights(a);
  const int64_t per_row = ForwardWalk<Cell, T>::scratch_per_row(a);
  const ScratchOf<T> scratch(a.batch * per_row);
  const int64_t work = a.batch * a.time * a.gate_count() * a.units * (a.units + a.features) / 5;
  // Rows of the batch do not depend on each other, so threads need no barrier between steps.
  share_out(a.batch, work, [&](int64_t begin, int64_t end) {
    ForwardWalk<Cell, T>(a, weights, begin, end, scratch.data() + begin * per_row).run();
  });
}

template <class T>
void forward(const RnnArrays<T>& a) {
  switch (a.cell) {
    case RnnCell::lstm:
      return forward_cell<RnnCell::lstm>(a);
    case RnnCell::gru:
      return forward_cell<RnnCell::gru>(a);
    case RnnCell::simple:
      return forward_cell<RnnCell::simple>(a);
  }
}

}  // namespace rnn

void rnn_forward_float32(const RnnArrays<float>& a) { rnn::forward(a); }
void rnn_forward_float64(const RnnArrays<double>& a) { rnn::forward(a); }

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {

HWY_EXPORT(rnn_forward_float32);
HWY_EXPORT(rnn_forward_float64);

void rnn_forward(const RnnArrays<float>& a) { HWY_DYNAMIC_DISPATCH(rnn_forward_float32)(a); }
void rnn_forward(const RnnArrays<double>& a) { HWY_DYNAMIC_DISPATCH(rnn_forward_float64)(a); }

}  // namespace cornu::backend::cpu
#endif
