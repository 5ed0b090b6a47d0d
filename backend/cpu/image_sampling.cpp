// Sampling pictures at computed coordinates: places of a row become offsets and weights, pixels
// whose four neighbors are inside go through vectors of one pixel's channels, the rest through
// folding.
#include "../image_sampling.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "../error.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/image_sampling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::image {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using I = hn::RebindToSigned<F>;

// What a row's places become. Offsets below 0 are no places: some neighbor or all of them are
// outside.
constexpr int32_t at_edge = -1, outside = -2;

struct Row {
  float* x;  // brought inside by the fill mode
  float* y;
  int32_t* offset;  // of the pixel left above, in values
  float* right;     // fraction of the pixels to the right
  float* below;     // fraction of the pixels below
};

// Places on an axis of `size` pixels brought inside. That of a pattern that repeats or is reflected
// is exact between its pixels too, but for the gap between two periods of Fill::wrap, and nothing
// can be done for Fill::constant.
template <class V>
HWY_INLINE V fold(V x, float size, Fill fill) {
  const F d;
  const auto n = hn::Set(d, size), last = hn::Set(d, size - 1), zero = hn::Zero(d);
  const auto modulo = [&](V a, V b)
                          HWY_ATTR { return hn::NegMulAdd(hn::Floor(hn::Div(a, b)), b, a); };
  const auto into = [&](V a) HWY_ATTR { return hn::Min(hn::Max(a, zero), last); };
  switch (fill) {
    case Fill::wrap:
      return modulo(x, n);
    case Fill::mirror: {
      if (size == 1) return zero;
      const auto place = modulo(x, hn::Add(last, last));
      return into(hn::Min(place, hn::Sub(hn::Add(last, last), place)));
    }
    case Fill::reflect: {
      const auto half = hn::Set(d, 0.5f), place = modulo(hn::Add(x, half), hn::Add(n, n));
      return into(hn::Sub(hn::Min(place, hn::Sub(hn::Add(n, n), place)), half));
    }
    case Fill::nearest:
      return into(x);
    case Fill::constant:
      break;
  }
  // Places far away, and NaN, stay outside when they become integers.
  return hn::Min(hn::Max(x, hn::Set(d, -1e6f)), hn::Set(d, 1e6f));
}

// Fills a row from its x and y. `reach`: values behind the pixel right below that a fast path also
// reads.
void locate_linear(const Picture& from, const Row& row, int64_t n, int64_t reach, Fill fill) {
  const F d;
  const I di;
  const int64_t stride = from.row_values();
  const auto width = static_cast<float>(from.width), height = static_cast<float>(from.height);
  const auto set = [&](int64_t value) HWY_ATTR { return hn::Set(di, static_cast<int32_t>(value)); };
  const auto end_x = set(from.width - 1), end_y = set(from.height - 1),
             end = set(from.values() - stride - from.channels - reach + 1),
             step_x = set(from.channels), step_y = set(stride), none = set(-1), far = set(outside);
  // The last pixel is the right neighbor with all of the weight.
  const auto last_x = hn::Set(d, width - 2), last_y = hn::Set(d, height - 2);
  const bool folds = fill != Fill::constant && fill != Fill::wrap;
  const auto before = hn::Set(d, -1.0f), wide = hn::Set(d, width), high = hn::Set(d, height);
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto x = fold(hn::LoadU(d, row.x + i), width, fill),
               y = fold(hn::LoadU(d, row.y + i), height, fill);
    hn::StoreU(x, d, row.x + i);
    hn::StoreU(y, d, row.y + i);
    auto left = hn::Floor(x), top = hn::Floor(y);
    if (folds) {
      left = hn::Min(left, last_x);
      top = hn::Min(top, last_y);
    }
    const auto column = hn::ConvertTo(di, left), line = hn::ConvertTo(di, top);
    const auto offset = hn::Add(hn::Mul(line, step_y), hn::Mul(column, step_x));
    const auto inside =
        hn::And(hn::And(hn::Gt(column, none), hn::Lt(column, end_x)),
                hn::And(hn::And(hn::Gt(line, none), hn::Lt(line, end_y)), hn::Lt(offset, end)));
    const auto near = hn::And(hn::And(hn::Gt(x, before), hn::Lt(x, wide)),
                              hn::And(hn::Gt(y, before), hn::Lt(y, high)));
    const auto elsewhere = hn::IfThenElse(hn::RebindMask(di, near), none, far);
    hn::StoreU(hn::IfThenElse(inside, offset, elsewhere), di, row.offset + i);
    hn::StoreU(hn::Sub(x, left), d, row.right + i);
    hn::StoreU(hn::Sub(y, top), d, row.below + i);
  }
}

// Fills offset with the nearest pixel's number, or `outside`.
void locate_nearest(const Picture& from, const Row& row, int64_t n, Fill fill) {
  const F d;
  const I di;
  const auto set = [&](int64_t value) HWY_ATTR { return hn::Set(di, static_cast<int32_t>(value)); };
  const auto width = set(from.width), height = set(from.height), none = set(-1), far = set(outside);
  const auto half = hn::Set(d, 0.5f), one = hn::Set(d, 1.0f);
  // Rounded first, so that a half goes the same way inside and outside. The fraction is exact,
  // where the sum of a place and a half would round what is next to a half up.
  const auto rounded = [&](const float* place, int64_t size) HWY_ATTR {
    const auto p = hn::LoadU(d, place);
    const auto distance = hn::Abs(p), below = hn::Floor(distance);
    const auto up = hn::Ge(hn::Sub(distance, below), half);
    const auto whole = hn::CopySign(hn::IfThenElse(up, hn::Add(below, one), below), p);
    return hn::ConvertTo(di, fold(whole, static_cast<float>(size), fill));
  };
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto column = rounded(row.x + i, from.width), line = rounded(row.y + i, from.height);
    const auto inside = hn::And(hn::And(hn::Gt(column, none), hn::Lt(column, width)),
                                hn::And(hn::Gt(line, none), hn::Lt(line, height)));
    hn::StoreU(hn::IfThenElse(inside, hn::Add(hn::Mul(line, width), column), far), di,
               row.offset + i);
  }
}

template <class T>
HWY_INLINE T stored(float value) {
  if constexpr (std::is_same_v<T, uint8_t>)
    return static_cast<uint8_t>(std::min(std::max(value, 0.0f), 255.0f) + 0.5f);
  else
    return value;
}

// A pixel some of whose neighbors are outside.
template <class T>
HWY_NOINLINE void linear_at_edge(const Picture& from, float x, float y, T* to,
                                 const Sampling& how) {
  if (!(std::abs(x) < 1e6f)) x = x > 0 ? 1e6f : -1e6f;
  if (!(std::abs(y) < 1e6f)) y = y > 0 ? 1e6f : -1e6f;
  const float left = std::floor(x), top = std::floor(y);
  const float shares_x[2] = {1 - (x - left), x - left}, shares_y[2] = {1 - (y - top), y - top};
  const T* corners[4];
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t column = static_cast<int64_t>(left) + i % 2,
                  line = static_cast<int64_t>(top) + i / 2;
    const bool inside = column >= 0 && column < from.width && line >= 0 && line < from.height;
    corners[i] = !inside && how.fill == Fill::constant
                     ? nullptr
                     : from.row_as<T>(folded(line, from.height, how.fill)) +
                           folded(column, from.width, how.fill) * from.channels;
  }
  for (int64_t c = 0; c < from.channels; ++c) {
    float sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += (corners[i] ? static_cast<float>(corners[i][c]) : static_cast<float>(how.value)) *
             shares_x[i % 2] * shares_y[i / 2];
    to[c] = stored<T>(sum);
  }
}

// Any number of channels.
template <class T>
struct AnyChannels {
  static constexpr int64_t reach = 0, together = 1;
  using Value = T;
  const T* source;
  int64_t stride, channels;

  HWY_INLINE void one(int32_t offset, float right, float below, T* to) const {
    const T* p = source + offset;
    for (int64_t c = 0; c < channels; ++c) {
      const float a = p[c], b = p[c + channels], e = p[c + stride], f = p[c + stride + channels];
      const float upper = a + (b - a) * right, lower = e + (f - e) * right;
      to[c] = stored<T>(upper + (lower - upper) * below);
    }
  }
};

#if HWY_TARGET != HWY_SCALAR
// Bytes of 3 or 4 channels, several pixels at once: both pixels of a line are one load of 8 bytes.
// A block of 128 bits holds a pixel as 16-bit numbers in 1/128 gray levels; weights have 15 bits.
template <int depth>
struct ByteColors : AnyChannels<uint8_t> {
  using Wide = hn::ScalableTag<uint64_t>;
  static constexpr int64_t reach = 8 - depth;
  static constexpr int64_t together = hn::MaxLanes(Wide());

  // Blocks of the pixels' two lines and weights, mixed.
  template <class D16, class V>
  HWY_INLINE V mixed(D16 d, V upper, V lower, V across, V down) const {
    const hn::Repartition<uint8_t, D16> d8;
    const auto lines = hn::Add(hn::ShiftLeft<7>(upper),
                               hn::MulFixedPoint15(hn::ShiftLeft<7>(hn::Sub(lower, upper)), down));
    const auto next = hn::BitCast(d, hn::ShiftRightBytes<2 * depth>(d8, hn::BitCast(d8, lines)));
    const auto sum = hn::Add(lines, hn::MulFixedPoint15(hn::Sub(next, lines), across));
    // The largest sum is 32640 + 64.
    return hn::ShiftRight<7>(hn::Add(sum, hn::Set(d, 64)));
  }

  // A fraction as four 16-bit numbers of each lane.
  HWY_INLINE hn::Vec<Wide> weights(const float* from) const {
    const Wide d;
    const hn::Rebind<float, Wide> df;
    const hn::RebindToSigned<decltype(df)> di;
    const auto whole = hn::ConvertTo(di, hn::Mul(hn::LoadU(df, from), hn::Set(df, 32767.0f)));
    const auto twice = hn::PromoteTo(d, hn::BitCast(hn::RebindToUnsigned<decltype(di)>(),
                                                    hn::Or(whole, hn::ShiftLeft<16>(whole))));
    return hn::Or(twice, hn::ShiftLeft<32>(twice));
  }

  HWY_INLINE void many(const int32_t* offset, const float* right, const float* below,
                       uint8_t* to) const {
    const Wide d;
    const hn::RebindToSigned<Wide> di;
    const hn::Repartition<uint8_t, Wide> d8;
    const hn::Repartition<int16_t, Wide> d16;
    const auto at = hn::PromoteTo(di, hn::LoadU(hn::Rebind<int32_t, Wide>(), offset));
    const auto gathered = [&](int64_t line) HWY_ATTR {
      return hn::BitCast(d8,
                         hn::GatherOffset(d, reinterpret_cast<const uint64_t*>(source + line), at));
    };
    const auto upper = gathered(0), lower = gathered(stride);
    const auto across = weights(right), down = weights(below);
    const auto zero = hn::Zero(d8);
    const auto even = mixed(d16, hn::BitCast(d16, hn::InterleaveLower(d8, upper, zero)),
                            hn::BitCast(d16, hn::InterleaveLower(d8, lower, zero)),
                            hn::BitCast(d16, hn::InterleaveLower(d, across, across)),
                            hn::BitCast(d16, hn::InterleaveLower(d, down, down)));
    const auto odd = mixed(d16, hn::BitCast(d16, hn::InterleaveUpper(d8, upper, zero)),
                           hn::BitCast(d16, hn::InterleaveUpper(d8, lower, zero)),
                           hn::BitCast(d16, hn::InterleaveUpper(d, across, across)),
                           hn::BitCast(d16, hn::InterleaveUpper(d, down, down)));
    // Eight bytes a pixel, of which the first are its channels.
    HWY_ALIGN uint64_t words[together];
    hn::Store(hn::BitCast(d, hn::ConcatEven(d8, hn::BitCast(d8, odd), hn::BitCast(d8, even))), d,
              words);
    constexpr int64_t half = together / 2;
    for (int64_t i = 0; i < together; ++i)
      std::memcpy(to + i * depth, &words[i % 2 * half + i / 2], 4);
  }
};

// Floats of 3 or 4 channels: four lanes a pixel.
template <int depth>
struct FloatColors : AnyChannels<float> {
  static constexpr int64_t reach = 4;
  static constexpr int64_t together = 4;

  HWY_INLINE void many(const int32_t* offset, const float* right, const float* below,
                       float* to) const {
    const hn::FixedTag<float, 4> d;
    for (int64_t i = 0; i < together; ++i) {
      const float* p = source + offset[i];
      const auto across = hn::Set(d, right[i]), down = hn::Set(d, below[i]);
      const auto a = hn::LoadU(d, p), b = hn::LoadU(d, p + depth), e = hn::LoadU(d, p + stride),
                 f = hn::LoadU(d, p + stride + depth);
      const auto upper = hn::MulAdd(hn::Sub(b, a), across, a),
                 lower = hn::MulAdd(hn::Sub(f, e), across, e);
      hn::StoreU(hn::MulAdd(hn::Sub(lower, upper), down, upper), d, to + i * depth);
    }
  }
};

// One channel: a lane a pixel.
template <class T>
struct Gray : AnyChannels<T> {
  static constexpr int64_t reach = sizeof(T) == 1 ? 3 : 0;
  static constexpr int64_t together = hn::MaxLanes(F());

  HWY_INLINE void many(const int32_t* offset, const float* right, const float* below, T* to) const {
    const F d;
    const I di;
    const auto at = hn::LoadU(di, offset);
    const auto line = [&](const T* p) HWY_ATTR {
      const auto across = hn::LoadU(d, right);
      if constexpr (sizeof(T) == 1) {
        const auto word = hn::GatherOffset(di, reinterpret_cast<const int32_t*>(p), at);
        const auto byte = hn::Set(di, 255);
        const auto a = hn::ConvertTo(d, hn::And(word, byte)),
                   b = hn::ConvertTo(d, hn::And(hn::ShiftRight<8>(word), byte));
        return hn::MulAdd(hn::Sub(b, a), across, a);
      } else {
        const auto a = hn::GatherIndex(d, p, at), b = hn::GatherIndex(d, p + 1, at);
        return hn::MulAdd(hn::Sub(b, a), across, a);
      }
    };
    const auto upper = line(this->source), lower = line(this->source + this->stride);
    const auto sum = hn::MulAdd(hn::Sub(lower, upper), hn::LoadU(d, below), upper);
    if constexpr (sizeof(T) == 1)
      hn::StoreU(hn::DemoteTo(hn::Rebind<uint8_t, F>(), hn::NearestInt(sum)),
                 hn::Rebind<uint8_t, F>(), to);
    else
      hn::StoreU(sum, d, to);
  }
};
#endif

// Scratch of a row, with room for whole vectors.
struct Scratch {
  explicit Scratch(int64_t width)
      : places(static_cast<size_t>(4 * (width + 32))), offsets(static_cast<size_t>(width + 32)) {
    const int64_t room = width + 32;
    float* p = places.data();
    row = {p, p + room, offsets.data(), p + 2 * room, p + 3 * room};
  }
  std::vector<float> places;
  std::vector<int32_t> offsets;
  Row row;
};

HWY_INLINE bool all_inside(const int32_t* offset, int64_t n) {
  int32_t least = 0;
  for (int64_t i = 0; i < n; ++i) least = std::min(least, offset[i]);
  return least == 0;
}

template <class Inner>
void sample_linear(const Picture& from, const Picture& to, const RowPlaces& places,
                   const Sampling& how, const Inner& inner) {
  using T = typename Inner::Value;
  Scratch scratch(to.width);
  const Row& row = scratch.row;
  const T filling = stored<T>(static_cast<float>(how.value));
  const auto one = [&](int64_t i, T* out) {
    if (row.offset[i] >= 0)
      inner.one(row.offset[i], row.right[i], row.below[i], out);
    else if (row.offset[i] == outside && how.fill == Fill::constant)
      std::fill_n(out, to.channels, filling);
    else
      linear_at_edge(from, row.x[i], row.y[i], out, how);
  };
  for (int64_t y = 0; y < to.height; ++y) {
    places(y, row.x, row.y);
    locate_linear(from, row, to.width, Inner::reach, how.fill);
    T* out = to.row_as<T>(y);
    int64_t i = 0;
    if constexpr (Inner::together > 1) {
      // Several pixels at once write into the next one, which the row must have.
      for (; i + Inner::together < to.width; i += Inner::together) {
        if (all_inside(row.offset + i, Inner::together))
          inner.many(row.offset + i, row.right + i, row.below + i, out + i * to.channels);
        else
          for (int64_t k = i; k < i + Inner::together; ++k) one(k, out + k * to.channels);
      }
    }
    for (; i < to.width; ++i) one(i, out + i * to.channels);
  }
}

void linear(const Picture& from, const Picture& to, const RowPlaces& places, const Sampling& how) {
  const auto run = [&]<class Inner>(Inner inner) { sample_linear(from, to, places, how, inner); };
  const auto typed = [&]<class T>(const T* source) {
    const AnyChannels<T> any{source, from.row_values(), from.channels};
#if HWY_TARGET != HWY_SCALAR
    // Neighbors need two lines and columns.
    if (from.width > 1 && from.height > 1) {
      if (from.channels == 1) return run(Gray<T>{any});
      if constexpr (sizeof(T) == 1) {
        if (from.channels == 3) return run(ByteColors<3>{any});
        if (from.channels == 4) return run(ByteColors<4>{any});
      } else {
        if (from.channels == 3) return run(FloatColors<3>{any});
        if (from.channels == 4) return run(FloatColors<4>{any});
      }
    }
#endif
    run(any);
  };
  if (from.dtype == DType::uint8)
    typed(static_cast<const uint8_t*>(from.data));
  else
    typed(static_cast<const float*>(from.data));
}

// Pixels of `bytes` bytes, or of any number when it is 0.
template <size_t bytes>
void sample_nearest(const Picture& from, const Picture& to, const RowPlaces& places,
                    const Sampling& how, const std::byte* filling) {
  const size_t pixel = bytes ? bytes : from.pixel_bytes();
  const auto* source = static_cast<const std::byte*>(from.data);
  Scratch scratch(to.width);
  const Row& row = scratch.row;
  const auto copy = [&](std::byte* out, const std::byte* in) {
    std::memcpy(out, in, bytes ? bytes : pixel);
  };
  for (int64_t y = 0; y < to.height; ++y) {
    places(y, row.x, row.y);
    locate_nearest(from, row, to.width, how.fill);
    std::byte* out = to.row(y);
    const int32_t* offset = row.offset;
    if (all_inside(offset, to.width)) {
      for (int64_t i = 0; i < to.width; ++i, out += pixel)
        copy(out, source + static_cast<size_t>(offset[i]) * pixel);
    } else {
      for (int64_t i = 0; i < to.width; ++i, out += pixel)
        copy(out, offset[i] < 0 ? filling : source + static_cast<size_t>(offset[i]) * pixel);
    }
  }
}

void nearest(const Picture& from, const Picture& to, const RowPlaces& places, const Sampling& how,
             const std::byte* filling) {
  switch (from.pixel_bytes()) {
    case 1:
      return sample_nearest<1>(from, to, places, how, filling);
    case 3:
      return sample_nearest<3>(from, to, places, how, filling);
    case 4:
      return sample_nearest<4>(from, to, places, how, filling);
    case 12:
      return sample_nearest<12>(from, to, places, how, filling);
    default:
      return sample_nearest<0>(from, to, places, how, filling);
  }
}

void homography_row(const float* map, int64_t row, int64_t width, float* x, float* y) {
  const F d;
  const auto r = static_cast<float>(row);
  const auto place = [&](int i, hn::Vec<F> column) HWY_ATTR {
    return hn::Add(hn::Add(hn::Mul(column, hn::Set(d, map[i])), hn::Set(d, map[i + 1] * r)),
                   hn::Set(d, map[i + 2]));
  };
  const bool flat = map[6] == 0 && map[7] == 0 && map[8] == 1;
  auto column = hn::Iota(d, 0.0f);
  const auto step = hn::Set(d, static_cast<float>(hn::Lanes(d)));
  for (int64_t i = 0; i < width; i += static_cast<int64_t>(hn::Lanes(d))) {
    auto px = place(0, column), py = place(3, column);
    if (!flat) {
      const auto w = place(6, column);
      px = hn::Div(px, w);
      py = hn::Div(py, w);
    }
    hn::StoreU(px, d, x + i);
    hn::StoreU(py, d, y + i);
    column = hn::Add(column, step);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::image {

HWY_EXPORT(linear);
HWY_EXPORT(nearest);
HWY_EXPORT(homography_row);

int64_t folded(int64_t place, int64_t size, Fill fill) {
  if (size == 1) return 0;
  const auto mod = [](int64_t a, int64_t n) { return (a % n + n) % n; };
  switch (fill) {
    case Fill::wrap:
      return mod(place, size);
    case Fill::mirror:
      return std::abs(mod(place + size - 1, 2 * (size - 1)) - (size - 1));
    case Fill::reflect: {
      const int64_t p = mod(place, 2 * size);
      return p < size ? p : 2 * size - 1 - p;
    }
    case Fill::constant:
    case Fill::nearest:
      break;
  }
  return std::min(std::max<int64_t>(place, 0), size - 1);
}

void sample(const Picture& from, const Picture& to, const RowPlaces& places,
            const Sampling& sampling) {
  if (from.values() == 0 || to.values() == 0) return;
  if (from.values() > INT32_MAX)
    throw ValueError("A picture of more than 2^31 values cannot be sampled: cut it first.");
  if (sampling.linear) {
    HWY_DYNAMIC_DISPATCH(linear)(from, to, places, sampling);
    return;
  }
  // One pixel of what is outside.
  std::vector<std::byte> filling(from.pixel_bytes());
  for (int64_t c = 0; c < from.channels; ++c) {
    std::byte* at = filling.data() + static_cast<size_t>(c) * size_of(from.dtype);
    if (from.dtype == DType::float32) {
      const auto value = static_cast<float>(sampling.value);
      std::memcpy(at, &value, sizeof value);
    } else if (from.dtype == DType::float64) {
      std::memcpy(at, &sampling.value, sizeof(double));
    } else {
      // Integers of any size, little end first.
      const auto value = static_cast<int64_t>(sampling.value);
      std::memcpy(at, &value, size_of(from.dtype));
    }
  }
  HWY_DYNAMIC_DISPATCH(nearest)(from, to, places, sampling, filling.data());
}

RowPlaces places_of(const Homography& map, int64_t width) {
  std::array<float, 9> m;
  for (size_t i = 0; i < 9; ++i) m[i] = static_cast<float>(map[i]);
  return [m, width](int64_t row, float* x, float* y) {
    HWY_DYNAMIC_DISPATCH(homography_row)(m.data(), row, width, x, y);
  };
}

RowPlaces places_of(const float* field, int64_t width) {
  return [field, width](int64_t row, float* x, float* y) {
    const float* steps = field + row * width * 2;
    for (int64_t i = 0; i < width; ++i) {
      x[i] = static_cast<float>(i) + steps[2 * i];
      y[i] = static_cast<float>(row) + steps[2 * i + 1];
    }
  };
}

RowPlaces places_of_even(const float* field, int64_t width) {
  return [field, width](int64_t row, float* x, float* y) {
    const float* steps = field + row * width;
    for (int64_t i = 0; i < width; ++i) {
      x[i] = static_cast<float>(i) + steps[i];
      y[i] = static_cast<float>(row) + steps[i];
    }
  };
}

}  // namespace cornu::backend::image
#endif
