// Kernels on colors. Values go through vectors of floats: as they lie where all channels change
// alike or each by its own numbers, and in planes where the channels of a pixel meet.
#include "../image_colors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/image_colors.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::image {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::ScalableTag<float>;
using I = hn::RebindToSigned<F>;
using B = hn::Rebind<uint8_t, F>;
using V = hn::Vec<F>;

HWY_INLINE V floats(hn::Vec<B> bytes) { return hn::ConvertTo(F(), hn::PromoteTo(I(), bytes)); }
HWY_INLINE hn::Vec<B> bytes(V floats) { return hn::DemoteTo(B(), hn::NearestInt(floats)); }
HWY_INLINE V load(const uint8_t* from) { return floats(hn::LoadU(B(), from)); }
HWY_INLINE V load(const float* from) { return hn::LoadU(F(), from); }
HWY_INLINE void store(V x, uint8_t* to) { hn::StoreU(bytes(x), B(), to); }
HWY_INLINE void store(V x, float* to) { hn::StoreU(x, F(), to); }
HWY_INLINE V number(double x) { return hn::Set(F(), static_cast<float>(x)); }
HWY_INLINE V cut(V x, V low, V high) { return hn::Min(hn::Max(x, low), high); }

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(F())); }

// f(x, number of the first value) of all values, whole vectors at a time.
template <class T, class Function>
void each_value(const T* from, T* to, int64_t n, const Function& f) {
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes()) store(f(load(from + i), i), to + i);
  if (i == n) return;
  T rest[hn::MaxLanes(F())] = {};
  std::copy_n(from + i, n - i, rest);
  store(f(load(rest), i), rest);
  std::copy_n(rest, n - i, to + i);
}

// f(r, g, b), which changes them, of all pixels.
template <class T, class Function>
void each_pixel(const T* from, T* to, int64_t n, const Function& f) {
  const auto step = [&](const T* in, T* out) HWY_ATTR {
    if constexpr (sizeof(T) == 1) {
      hn::Vec<B> x, y, z;
      hn::LoadInterleaved3(B(), in, x, y, z);
      V r = floats(x), g = floats(y), b = floats(z);
      f(r, g, b);
      hn::StoreInterleaved3(bytes(r), bytes(g), bytes(b), B(), out);
    } else {
      V r, g, b;
      hn::LoadInterleaved3(F(), in, r, g, b);
      f(r, g, b);
      hn::StoreInterleaved3(r, g, b, F(), out);
    }
  };
  int64_t i = 0;
  for (; i + lanes() <= n; i += lanes()) step(from + 3 * i, to + 3 * i);
  if (i == n) return;
  T rest[3 * hn::MaxLanes(F())] = {};
  std::copy_n(from + 3 * i, 3 * (n - i), rest);
  step(rest, rest);
  std::copy_n(rest, 3 * (n - i), to + 3 * i);
}

// Calls f with the pictures' values as what they are.
template <class Function>
void typed(const Picture& from, const Picture& to, const Function& f) {
  if (from.dtype == DType::uint8)
    f(static_cast<const uint8_t*>(from.data), static_cast<uint8_t*>(to.data));
  else
    f(static_cast<const float*>(from.data), static_cast<float*>(to.data));
}

// `factors` and `offsets` repeat the channels' numbers for as many vectors as there are channels.
void scale_all(const Picture& from, const Picture& to, const float* factors, const float* offsets,
               int64_t period, float low, float high) {
  const V least = number(low), most = number(high);
  typed(from, to, [&](const auto* in, auto* out) {
    if (period == 1) {
      const V factor = number(factors[0]), offset = number(offsets[0]);
      each_value(in, out, from.values(), [&](V x, int64_t) HWY_ATTR {
        return cut(hn::MulAdd(x, factor, offset), least, most);
      });
      return;
    }
    int64_t at = 0;
    each_value(in, out, from.values(), [&](V x, int64_t) HWY_ATTR {
      const V y = hn::MulAdd(x, hn::LoadU(F(), factors + at), hn::LoadU(F(), offsets + at));
      at = at + lanes() == period * lanes() ? 0 : at + lanes();
      return cut(y, least, most);
    });
  });
}

void mix_all(const Picture& from, const Picture& to, const float* m, float low, float high) {
  V matrix[12];
  for (int i = 0; i < 12; ++i) matrix[i] = number(m[i]);
  const V least = number(low), most = number(high);
  const auto sum = [&](int row, V r, V g, V b) HWY_ATTR {
    const V* w = matrix + 4 * row;
    return cut(hn::MulAdd(r, w[0], hn::MulAdd(g, w[1], hn::MulAdd(b, w[2], w[3]))), least, most);
  };
  typed(from, to, [&](const auto* in, auto* out) {
    each_pixel(in, out, from.height * from.width, [&](V& r, V& g, V& b) HWY_ATTR {
      const V x = sum(0, r, g, b), y = sum(1, r, g, b);
      b = sum(2, r, g, b);
      r = x;
      g = y;
    });
  });
}

// Saturation is (value - least) / value. A channel lies below the value by a fraction of that, so
// all of them move by its ratio.
void saturate_all(const Picture& from, const Picture& to, float factor, float low, float high) {
  const V f = number(factor), least = number(low), most = number(high), zero = number(0);
  typed(from, to, [&](const auto* in, auto* out) {
    each_pixel(in, out, from.height * from.width, [&](V& r, V& g, V& b) HWY_ATTR {
      const V value = hn::Max(hn::Max(r, g), b), range = hn::Sub(value, hn::Min(hn::Min(r, g), b));
      const V saturation = hn::Div(range, value);
      const V ratio =
          hn::IfThenElse(hn::Gt(saturation, zero),
                         hn::Div(cut(hn::Mul(saturation, f), least, most), saturation), zero);
      for (V* x : {&r, &g, &b}) *x = hn::NegMulAdd(hn::Sub(value, *x), ratio, value);
    });
  });
}

// The hue in sixths of the circle, as the HSV model has it, and back by Alvy Ray Smith's formula in
// the form value - range * max(0, min(k, 4 - k, 1)) with k = (n + hue) mod 6.
void turn_all(const Picture& from, const Picture& to, float turn, float low, float high) {
  const V zero = number(0), one = number(1), two = number(2), four = number(4), six = number(6),
          sixth = number(1.0 / 6), least = number(low), most = number(high),
          moved = number(turn * 6);
  const auto modulo = [&](V x)
                          HWY_ATTR { return hn::NegMulAdd(hn::Floor(hn::Mul(x, sixth)), six, x); };
  typed(from, to, [&](const auto* in, auto* out) {
    each_pixel(in, out, from.height * from.width, [&](V& r, V& g, V& b) HWY_ATTR {
      const V value = hn::Max(hn::Max(r, g), b), range = hn::Sub(value, hn::Min(hn::Min(r, g), b));
      const V inverse = hn::IfThenElse(hn::Gt(range, zero), hn::Div(one, range), zero);
      const V hue =
          hn::IfThenElse(hn::Eq(value, r), hn::Mul(hn::Sub(g, b), inverse),
                         hn::IfThenElse(hn::Eq(value, g), hn::MulAdd(hn::Sub(b, r), inverse, two),
                                        hn::MulAdd(hn::Sub(r, g), inverse, four)));
      const V turned = hn::Add(hue, moved);
      const auto channel = [&](double n) HWY_ATTR {
        const V k = modulo(hn::Add(turned, number(n)));
        const V part = hn::Max(zero, hn::Min(hn::Min(k, hn::Sub(four, k)), one));
        return cut(hn::NegMulAdd(range, part, value), least, most);
      };
      r = channel(5);
      g = channel(3);
      b = channel(1);
    });
  });
}

void solarize_all(const Picture& from, const Picture& to, float addition, float threshold,
                  float scale, float offset) {
  const V add = number(addition), limit = number(threshold), zero = number(0), top = number(255),
          factor = number(scale), shift = number(offset), back = number(1 / scale),
          shift_back = number(-offset / scale);
  each_value(static_cast<const float*>(from.data), static_cast<float*>(to.data), from.values(),
             [&](V x, int64_t) HWY_ATTR {
               const V y = cut(hn::Add(hn::MulAdd(x, factor, shift), add), zero, top);
               const V z = hn::IfThenElse(hn::Lt(y, limit), y, hn::Sub(top, y));
               return hn::MulAdd(z, back, shift_back);
             });
}

// Two mixing steps of a counter, whose constants were searched for by C. Wellons ("lowbias32",
// https://nullprogram.com/blog/2018/07/31/).
template <class U>
HWY_INLINE U hashed(U x) {
  const hn::RebindToUnsigned<I> d;
  for (int round = 0; round < 2; ++round) {
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(d, 0x7feb352du));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(d, 0x846ca68bu));
    x = hn::Xor(x, hn::ShiftRight<16>(x));
  }
  return x;
}

// Normal numbers `first` and on of a key, by Box and Muller's method; `first` counts vectors.
HWY_INLINE V normal(uint32_t key, uint32_t key2, int64_t first) {
  const F d;
  const hn::RebindToUnsigned<I> du;
  const auto counter = hn::Add(hn::Iota(du, 0u), hn::Set(du, static_cast<uint32_t>(first)));
  const auto uniform = [&](uint32_t k, uint32_t spread) HWY_ATTR {
    const auto bits = hashed(hn::Add(hn::Mul(counter, hn::Set(du, spread)), hn::Set(du, k)));
    const auto whole = hn::ConvertTo(d, hn::BitCast(I(), hn::ShiftRight<8>(bits)));
    return hn::MulAdd(whole, number(0x1p-24), number(0x1p-25));
  };
  const V u = uniform(key, 0x9E3779B9u), v = uniform(key2, 0x85EBCA6Bu);
  const V radius = hn::Sqrt(hn::Mul(number(-2), hn::Log(d, u)));
  return hn::Mul(radius, hn::Cos(d, hn::Mul(v, number(6.283185307179586))));
}

void noise_all(const Picture& from, const Picture& to, Key key, float mean, float deviation,
               bool gray, float low, float high) {
  const V middle = number(mean), width = number(deviation), least = number(low),
          most = number(high);
  typed(from, to, [&](const auto* in, auto* out) {
    if (gray && from.channels == 3) {
      int64_t at = 0;
      each_pixel(in, out, from.height * from.width, [&](V& r, V& g, V& b) HWY_ATTR {
        const V noise = hn::MulAdd(normal(key.hi, key.lo, at), width, middle);
        at += lanes();
        for (V* x : {&r, &g, &b}) *x = cut(hn::Add(*x, noise), least, most);
      });
      return;
    }
    each_value(in, out, from.values(), [&](V x, int64_t i) HWY_ATTR {
      return cut(hn::Add(x, hn::MulAdd(normal(key.hi, key.lo, i), width, middle)), least, most);
    });
  });
}

// Sums and bounds of vectors' lanes: lane i of accumulator k is of channel (k * lanes + i) mod
// period, which channels then take theirs from.
template <class T>
void count_row(const T* row, int64_t n, int64_t channels, ChannelStatistics* found) {
  constexpr int64_t most_channels = 4;
  int64_t i = 0;
  if (channels <= most_channels && n >= channels * lanes()) {
    V sums[most_channels], low[most_channels], high[most_channels];
    for (int64_t k = 0; k < channels; ++k) {
      sums[k] = number(0);
      low[k] = high[k] = load(row + k * lanes());
    }
    for (; i + channels * lanes() <= n; i += channels * lanes())
      for (int64_t k = 0; k < channels; ++k) {
        const V x = load(row + i + k * lanes());
        sums[k] = hn::Add(sums[k], x);
        low[k] = hn::Min(low[k], x);
        high[k] = hn::Max(high[k], x);
      }
    HWY_ALIGN float sum[hn::MaxLanes(F())], least[hn::MaxLanes(F())], most[hn::MaxLanes(F())];
    for (int64_t k = 0; k < channels; ++k) {
      hn::Store(sums[k], F(), sum);
      hn::Store(low[k], F(), least);
      hn::Store(high[k], F(), most);
      for (int64_t lane = 0; lane < lanes(); ++lane) {
        ChannelStatistics& c = found[(k * lanes() + lane) % channels];
        c.sum += static_cast<double>(sum[lane]);
        c.lowest = std::min(c.lowest, least[lane]);
        c.highest = std::max(c.highest, most[lane]);
      }
    }
  }
  for (; i < n; ++i) {
    ChannelStatistics& c = found[i % channels];
    const auto x = static_cast<float>(row[i]);
    c.sum += static_cast<double>(x);
    c.lowest = std::min(c.lowest, x);
    c.highest = std::max(c.highest, x);
  }
}

void count_all(const Picture& picture, ChannelStatistics* found) {
  for (int64_t y = 0; y < picture.height; ++y) {
    if (picture.dtype == DType::uint8)
      count_row(picture.row_as<uint8_t>(y), picture.row_values(), picture.channels, found);
    else
      count_row(picture.row_as<float>(y), picture.row_values(), picture.channels, found);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::image {

HWY_EXPORT(scale_all);
HWY_EXPORT(mix_all);
HWY_EXPORT(saturate_all);
HWY_EXPORT(turn_all);
HWY_EXPORT(solarize_all);
HWY_EXPORT(noise_all);
HWY_EXPORT(count_all);

void scale(const Picture& from, const Picture& to, std::span<const float> factors,
           std::span<const float> offsets, float low, float high) {
  const auto same = [](std::span<const float> x) {
    return std::all_of(x.begin(), x.end(), [&](float v) { return v == x[0]; });
  };
  // Of any instruction set: HWY_MAX_BYTES would be that of the compiler's own here.
  constexpr int64_t most_lanes = 64;
  const int64_t period = same(factors) && same(offsets) ? 1 : from.channels;
  std::vector<float> repeated[2];
  for (int64_t i = 0; i < period * most_lanes; ++i) {
    repeated[0].push_back(factors[static_cast<size_t>(i % from.channels)]);
    repeated[1].push_back(offsets[static_cast<size_t>(i % from.channels)]);
  }
  HWY_DYNAMIC_DISPATCH(scale_all)
  (from, to, repeated[0].data(), repeated[1].data(), period, low, high);
}

void mix_channels(const Picture& from, const Picture& to, const std::array<float, 12>& matrix,
                  float low, float high) {
  HWY_DYNAMIC_DISPATCH(mix_all)(from, to, matrix.data(), low, high);
}

void saturate(const Picture& from, const Picture& to, float factor, float low, float high) {
  HWY_DYNAMIC_DISPATCH(saturate_all)(from, to, factor, low, high);
}

void turn_hue(const Picture& from, const Picture& to, float turn, float low, float high) {
  HWY_DYNAMIC_DISPATCH(turn_all)(from, to, turn, low, high);
}

void solarize(const Picture& from, const Picture& to, float addition, float threshold, float scale,
              float offset) {
  HWY_DYNAMIC_DISPATCH(solarize_all)(from, to, addition, threshold, scale, offset);
}

void add_noise(const Picture& from, const Picture& to, Key key, float mean, float deviation,
               bool gray, float low, float high) {
  HWY_DYNAMIC_DISPATCH(noise_all)(from, to, key, mean, deviation, gray, low, high);
}

namespace {

// look_up for a number of channels that the compiler knows, so that their tables are addresses.
template <int channels>
void look_up_bytes(const uint8_t* from, uint8_t* to, int64_t pixels, const uint8_t* tables) {
  for (int64_t i = 0; i < pixels * channels; i += channels)
    for (int c = 0; c < channels; ++c) to[i + c] = tables[256 * c + from[i + c]];
}

}  // namespace

void look_up(const Picture& from, const Picture& to, std::span<const uint8_t> tables) {
  const auto* in = static_cast<const uint8_t*>(from.data);
  auto* out = static_cast<uint8_t*>(to.data);
  if (tables.size() == 256) {
    look_up_bytes<1>(in, out, from.values(), tables.data());
  } else if (from.channels == 3) {
    look_up_bytes<3>(in, out, from.height * from.width, tables.data());
  } else {
    for (int64_t i = 0; i < from.values(); ++i)
      out[i] = tables[static_cast<size_t>(256 * (i % from.channels) + in[i])];
  }
}

namespace {

// Where a value belongs among `size` places.
struct Binning {
  int64_t size;
  float factor, offset;
  template <class T>
  int64_t operator()(T value) const {
    const float place = static_cast<float>(value) * factor + offset;
    // In this order NaN goes to the first place.
    return static_cast<int64_t>(std::min(std::max(0.0f, place), static_cast<float>(size - 1)));
  }
};

}  // namespace

void look_up(const Picture& from, const Picture& to, std::span<const float> tables, int64_t size,
             float factor, float offset) {
  const Binning bin{size, factor, offset};
  const auto* in = static_cast<const float*>(from.data);
  auto* out = static_cast<float*>(to.data);
  const int64_t count = static_cast<int64_t>(tables.size()) / size;
  int64_t c = 0;
  for (int64_t i = 0; i < from.values(); ++i) {
    out[i] = tables[static_cast<size_t>(c * size + bin(in[i]))];
    if (++c == count) c = 0;
  }
}

std::vector<ChannelStatistics> statistics(const Picture& picture) {
  std::vector<ChannelStatistics> found(
      static_cast<size_t>(picture.channels),
      {0, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()});
  HWY_DYNAMIC_DISPATCH(count_all)(picture, found.data());
  return found;
}

std::vector<int32_t> histograms(const Picture& picture, const std::array<int64_t, 4>& window,
                                int64_t bins, float factor, float offset) {
  const auto [top, left, height, width] = window;
  const int64_t c = picture.channels;
  const Binning bin{bins, factor, offset};
  const bool bytes_as_they_are = bins == 256 && factor == 1 && offset == 0;
  std::vector<int32_t> counts(static_cast<size_t>(c * bins));
  for (int64_t y = top; y < top + height; ++y) {
    const auto count = [&](const auto* row, const auto& bin_of) {
      int32_t* const base = counts.data();
      for (int64_t x = 0; x < width; ++x, row += c)
        for (int64_t k = 0; k < c; ++k) ++base[k * bins + bin_of(row[k])];
    };
    if (picture.dtype != DType::uint8)
      count(picture.row_as<float>(y) + left * c, bin);
    else if (bytes_as_they_are)
      count(picture.row_as<uint8_t>(y) + left * c, [](uint8_t value) { return value; });
    else
      count(picture.row_as<uint8_t>(y) + left * c, bin);
  }
  return counts;
}

}  // namespace cornu::backend::image
#endif
