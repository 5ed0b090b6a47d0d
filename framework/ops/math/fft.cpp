// Fourier transforms by the device's kernel, and what is made of them.
#include "fft.h"

#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "../catalog.h"
#include "../convert.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/complex.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/joining.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../operators.h"

namespace cornu::ops {
namespace {

struct Complex {
  Tensor re, im;  // no `im`: real
};

Tensor last(const Tensor& x, int64_t start, int64_t stop) {
  return get_item(x, Value::List{Ellipsis{}, Slice{start, stop}});
}

Tensor constant(const std::vector<double>& values, const Shape& shape, DType dtype) {
  if (dtype == DType::float64) return Tensor::from(values, shape);
  return Tensor::from(std::vector<float>(values.begin(), values.end()), shape);
}

// The first `bins` terms of the transform along the last axis.
Complex dft(const Complex& x, int sign, int64_t bins) {
  Shape shape = x.re.shape();
  shape[shape.rank() - 1] = bins;
  const TensorSpec spec{shape, x.re.dtype()};
  const TensorSpec specs[] = {spec, spec};
  const backend::Fft kernel{sign > 0};
  const Tensors y =
      x.im ? apply(kernel, Tensors{x.re, x.im}, specs) : apply(kernel, Tensors{x.re}, specs);
  return {y[0], y[1]};
}

Tensor real_of(const Tensor& x, const char* who) {
  if (x.rank() == 0) throw ShapeError(fmt::format("{}: a scalar has no axis to transform.", who));
  if (x.shape().back() == 0)
    throw ShapeError(fmt::format("{}: the last axis of shape {} is empty.", who, x.shape().str()));
  return x.dtype() == DType::float64 ? x : cast(x, DType::float32);
}

Complex complex_of(const std::vector<Tensor>& x, const char* who) {
  if (x.size() != 2 || x[0].shape() != x[1].shape())
    throw ShapeError(fmt::format(
        "{}: expected {{real, imaginary}} of one shape, found {} tensors{}.", who, x.size(),
        x.size() == 2 ? " of shapes " + x[0].shape().str() + " and " + x[1].shape().str() : ""));
  return {real_of(x[0], who), real_of(x[1], who)};
}

Complex dft2(const Complex& x, int sign) {
  if (x.re.rank() < 2)
    throw ShapeError(
        fmt::format("fft2: expected two axes or more, found shape {}.", x.re.shape().str()));
  const Complex rows = dft(x, sign, x.re.shape().back());
  const Complex turned{swapaxes(rows.re, -1, -2), swapaxes(rows.im, -1, -2)};
  const Complex y = dft(turned, sign, turned.re.shape().back());
  return {swapaxes(y.re, -1, -2), swapaxes(y.im, -1, -2)};
}

// x with a last axis of size n.
Tensor resized(const Tensor& x, int64_t n) {
  const int64_t size = x.shape().back();
  if (size == n) return x;
  if (size > n) return last(x, 0, n);
  std::vector<std::vector<int64_t>> widths(static_cast<size_t>(x.rank()), {0, 0});
  widths.back() = {0, n - size};
  return pad(x, widths);
}

Complex real_dft(const Tensor& x, int64_t n) { return dft({resized(x, n), {}}, -1, n / 2 + 1); }

Tensor inverse_real_dft(const Complex& x, int64_t n) {
  if (n < 1) throw ShapeError(fmt::format("irfft: the result would have {} elements.", n));
  const int64_t bins = n / 2 + 1;
  const Tensor re = resized(x.re, bins), im = resized(x.im, bins);
  // The other terms are the conjugates, backwards; the imaginary parts of the first and the middle
  // do not count.
  const int64_t mirrored = n - bins;
  if (mirrored == 0) return dft({re, im}, 1, n).re / static_cast<double>(n);
  const auto tail = [&](const Tensor& t) { return flip(last(t, 1, 1 + mirrored), -1); };
  const Complex whole{concatenate({re, tail(re)}, -1), concatenate({im, -tail(im)}, -1)};
  return dft(whole, 1, n).re / static_cast<double>(n);
}

// The window, padded on both sides to fft_length; empty for none.
Tensor window_of(const Value& window, int64_t sequence_length, int64_t fft_length, DType dtype) {
  if (window.is_null()) return {};
  Tensor values;
  if (window.is<std::string>()) {
    const std::string& name = window.get<std::string>();
    const double base = name == "hann" ? 0.5 : 0.54;
    if (name != "hann" && name != "hamming")
      throw ValueError(fmt::format(
          "stft: window must be \"hann\", \"hamming\", a tensor or none, found \"{}\".", name));
    std::vector<double> w(static_cast<size_t>(sequence_length));
    for (int64_t i = 0; i < sequence_length; ++i)
      w[static_cast<size_t>(i)] =
          base - (1 - base) * std::cos(2 * std::numbers::pi * static_cast<double>(i) /
                                       static_cast<double>(sequence_length));
    if (sequence_length == 1) w[0] = 1;
    values = constant(w, {sequence_length}, dtype);
  } else {
    values = cast(detail::from_value<Tensor>(window), dtype);
  }
  if (values.shape() != Shape{sequence_length})
    throw ShapeError(fmt::format("stft: the window must have shape ({}), found {}.",
                                 sequence_length, values.shape().str()));
  const int64_t left = (fft_length - sequence_length) / 2;
  if (fft_length == sequence_length) return values;
  return pad(values, {{left, fft_length - sequence_length - left}});
}

void check_lengths(int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
                   const char* who) {
  if (sequence_length < 1 || sequence_stride < 1 || fft_length < sequence_length)
    throw ValueError(
        fmt::format("{}: fft_length ({}) must be at least sequence_length ({}), and that and "
                    "sequence_stride ({}) positive.",
                    who, fft_length, sequence_length, sequence_stride));
}

// x with `width` elements mirrored at both ends of the last axis.
Tensor mirror_ends(const Tensor& x, int64_t width) {
  const int64_t n = x.shape().back();
  if (width >= n)
    throw ShapeError(fmt::format(
        "stft: a signal of {} steps is too short to be centerd with fft_length {}.", n, 2 * width));
  std::vector<int32_t> at;
  for (int64_t i = -width; i < n + width; ++i)
    at.push_back(static_cast<int32_t>(i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i));
  return take(x, Tensor(at), -1);
}

Tensor pieces_of(const Tensor& x, int64_t length, int64_t stride) {
  const int64_t n = x.shape().back();
  const int64_t count = n < length ? 0 : (n - length) / stride + 1;
  std::vector<int32_t> at;
  for (int64_t t = 0; t < count; ++t)
    for (int64_t i = 0; i < length; ++i) at.push_back(static_cast<int32_t>(t * stride + i));
  if (count == 0) return zeros(concat(x.shape().slice(0, x.rank() - 1), {0, length}), x.dtype());
  return take(x, reshape(Tensor(at), {count, length}), -1);
}

// The sum of pieces (..., count, length) that start every `stride`.
Tensor overlap_add(const Tensor& pieces, int64_t stride) {
  const Shape& s = pieces.shape();
  const int64_t count = s[s.rank() - 2], length = s.back(), n = length + stride * (count - 1);
  std::vector<int32_t> at;
  for (int64_t t = 0; t < count; ++t)
    for (int64_t i = 0; i < length; ++i) at.push_back(static_cast<int32_t>(t * stride + i));
  const Shape lead = s.slice(0, s.rank() - 2);
  const TensorSpec sums{{lead.numel(), n}, pieces.dtype()};
  const Tensor y = apply(
      backend::Scatter{1, false, backend::ScatterOp::add},
      {zeros(sums.shape, sums.dtype), Tensor(at), reshape(pieces, {lead.numel(), count * length})},
      sums);
  return reshape(y, concat(lead, {n}));
}

}  // namespace

TensorTuple<2> fft(const std::vector<Tensor>& x) {
  if (is_symbolic(x)) return symbolic_call(&fft, x);
  const Complex in = complex_of(x, "fft"), y = dft(in, -1, in.re.shape().back());
  return std::vector<Tensor>{y.re, y.im};
}

TensorTuple<2> fft2(const std::vector<Tensor>& x) {
  if (is_symbolic(x)) return symbolic_call(&fft2, x);
  const Complex y = dft2(complex_of(x, "fft2"), -1);
  return std::vector<Tensor>{y.re, y.im};
}

TensorTuple<2> ifft2(const std::vector<Tensor>& x) {
  if (is_symbolic(x)) return symbolic_call(&ifft2, x);
  const Complex y = dft2(complex_of(x, "ifft2"), 1);
  const double n = static_cast<double>(y.re.shape(-1) * y.re.shape(-2));
  return std::vector<Tensor>{y.re / n, y.im / n};
}

TensorTuple<2> rfft(const Tensor& x, std::optional<int64_t> fft_length) {
  if (is_symbolic(x)) return symbolic_call(&rfft, x, fft_length);
  const Tensor real = real_of(x, "rfft");
  const int64_t n = fft_length.value_or(real.shape().back());
  if (n < 1) throw ValueError(fmt::format("rfft: fft_length must be positive, found {}.", n));
  const Complex y = real_dft(real, n);
  return std::vector<Tensor>{y.re, y.im};
}

Tensor irfft(const std::vector<Tensor>& x, std::optional<int64_t> fft_length) {
  if (is_symbolic(x)) return symbolic_call(&irfft, x, fft_length);
  const Complex in = complex_of(x, "irfft");
  return inverse_real_dft(in, fft_length.value_or(2 * (in.re.shape().back() - 1)));
}

Tensor extract_sequences(const Tensor& x, int64_t length, int64_t stride) {
  if (is_symbolic(x)) return symbolic_call(&extract_sequences, x, length, stride);
  if (x.rank() == 0 || length < 1 || stride < 1)
    throw ValueError(
        fmt::format("extract_sequences: sequence_length ({}) and sequence_stride ({}) must be "
                    "positive, and x (shape {}) must have an axis.",
                    length, stride, x.shape().str()));
  return pieces_of(x, length, stride);
}

TensorTuple<2> stft(const Tensor& x, int64_t sequence_length, int64_t sequence_stride,
                    int64_t fft_length, const Value& window, bool center) {
  if (is_symbolic(x))
    return symbolic_call(&stft, x, sequence_length, sequence_stride, fft_length, window, center);
  if (x.dtype() != DType::float32 && x.dtype() != DType::float64)
    throw ValueError(
        fmt::format("stft: expected float32 or float64, found {}.", dtype_name(x.dtype())));
  check_lengths(sequence_length, sequence_stride, fft_length, "stft");
  const Tensor signal =
      center ? mirror_ends(real_of(x, "stft"), fft_length / 2) : real_of(x, "stft");
  Tensor pieces = pieces_of(signal, fft_length, sequence_stride);
  if (const Tensor w = window_of(window, sequence_length, fft_length, x.dtype()))
    pieces = pieces * w;
  const Complex y = real_dft(pieces, fft_length);
  return std::vector<Tensor>{y.re, y.im};
}

Tensor istft(const std::vector<Tensor>& x, int64_t sequence_length, int64_t sequence_stride,
             int64_t fft_length, std::optional<int64_t> length, const Value& window, bool center) {
  if (is_symbolic(x))
    return symbolic_call(&istft, x, sequence_length, sequence_stride, fft_length, length, window,
                         center);
  const Complex in = complex_of(x, "istft");
  check_lengths(sequence_length, sequence_stride, fft_length, "istft");
  if (in.re.rank() < 2)
    throw ShapeError(fmt::format("istft: expected x with axes (..., pieces, terms), found {}.",
                                 in.re.shape().str()));
  const Tensor given = window_of(window, sequence_length, fft_length, in.re.dtype());
  const Tensor w = given ? given : ones({fft_length}, in.re.dtype());
  const int64_t count = in.re.shape(-2);
  const Tensor pieces = inverse_real_dft(in, fft_length);
  const Tensor sums = overlap_add(pieces * w, sequence_stride);
  const Tensor weights = overlap_add(broadcast_to(square(w), {count, fft_length}), sequence_stride);
  Tensor y =
      fused([](Expr sum, Expr weight) { return sum / expr::select(weight > 1e-10, weight, 1.0); },
            sums, weights);
  if (!given) y = y * (static_cast<double>(fft_length) / static_cast<double>(sequence_stride));
  const int64_t n = y.shape().back(), start = center ? fft_length / 2 : 0;
  // Keras counts the end from the last number: 0 of them is the beginning.
  const int64_t stop = length ? start + *length : !center ? n : start == 0 ? 0 : n - start;
  return last(y, start, stop);
}

void list_math_fft(OpCatalog& catalog) {
  catalog.add("math.FFT", {"x"}, &fft);
  catalog.add("math.FFT2", {"x"}, &fft2);
  catalog.add("math.IFFT2", {"x"}, &ifft2);
  catalog.add("math.RFFT", {"x", "fft_length=None"}, &rfft);
  catalog.add("math.IRFFT", {"x", "fft_length=None"}, &irfft);
  catalog.add("math.ExtractSequences", {"x", "sequence_length", "sequence_stride"},
              &extract_sequences);
  catalog.add(
      "math.STFT",
      {"x", "sequence_length", "sequence_stride", "fft_length", "window='hann'", "center=True"},
      &stft);
  catalog.add("math.ISTFT",
              {"x", "sequence_length", "sequence_stride", "fft_length", "length=None",
               "window='hann'", "center=True"},
              &istft);
}

}  // namespace cornu::ops
