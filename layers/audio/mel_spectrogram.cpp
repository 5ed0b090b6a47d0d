// Spectra in bands of the mel scale.
#include "mel_spectrogram.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/math/fft.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

// In float32 as Keras computes it: near the feet of a triangle its rounding shows in decibels.
float mel(float hertz) { return 1127.0f * std::log(1.0f + hertz / 700.0f); }

std::vector<float> spaced(float first, float last, int64_t count) {
  std::vector<float> points(static_cast<size_t>(count), first);
  const float step = count > 1 ? (last - first) / static_cast<float>(count - 1) : 0;
  for (int64_t i = 1; i < count; ++i)
    points[static_cast<size_t>(i)] = i + 1 == count ? last : first + step * static_cast<float>(i);
  return points;
}

Tensor mel_bands(const MelSpectrogramConfig& o) {
  const int64_t bins = o.fft_length / 2 + 1, bands = o.num_mel_bins;
  const std::vector<float> frequencies =
      spaced(0, static_cast<float>(double{o.sampling_rate}) / 2.0f, bins);
  const std::vector<float> edges = spaced(mel(static_cast<float>(o.min_freq)),
                                          mel(static_cast<float>(double{*o.max_freq})), bands + 2);
  std::vector<float> matrix(static_cast<size_t>(bins * bands), 0);
  // Frequency 0 belongs to no band.
  for (int64_t i = 1; i < bins; ++i)
    for (int64_t k = 0; k < bands; ++k) {
      const float at = mel(frequencies[static_cast<size_t>(i)]);
      const float low = edges[static_cast<size_t>(k)], center = edges[static_cast<size_t>(k + 1)],
                  high = edges[static_cast<size_t>(k + 2)];
      const float rising = (at - low) / (center - low), falling = (high - at) / (high - center);
      matrix[static_cast<size_t>(i * bands + k)] = std::max(0.0f, std::min(rising, falling));
    }
  return Tensor::from_host(matrix.data(), {bins, bands});
}

}  // namespace

MelSpectrogramLayer::MelSpectrogramLayer(MelSpectrogramConfig c) : LayerOf(std::move(c)) {
  check_positive("fft_length", config.fft_length);
  check_positive("sequence_stride", config.sequence_stride);
  check_positive("num_mel_bins", config.num_mel_bins);
  if (config.sequence_length.value_or(0) == 0) config.sequence_length = config.fft_length;
  check_positive("sequence_length", *config.sequence_length);
  if (config.fft_length < *config.sequence_length)
    throw ValueError(
        fmt::format("option 'fft_length' must be at least sequence_length, found {} and {}.",
                    config.fft_length, *config.sequence_length));
  if (!config.max_freq || double{*config.max_freq} == 0)
    config.max_freq = static_cast<int64_t>(double{config.sampling_rate} / 2);
}

void MelSpectrogramLayer::build(const Shape&) { bands_ = mel_bands(config); }

Tensor MelSpectrogramLayer::call(const Tensor& x, const Call&) {
  if (x.rank() < 1 || x.rank() > 2)
    throw ShapeError(
        fmt::format("expected a signal (samples) or (batch, samples), found {}.", x.shape().str()));
  const DType dtype = compute_dtype() == DType::float64 ? DType::float64 : DType::float32;
  // In float64: decibels, and the more so their gradients, show the rounding of weak frequencies.
  const auto parts = ops::stft(ops::cast(x, DType::float64), *config.sequence_length,
                               config.sequence_stride, config.fft_length, config.window);
  const Tensor strength =
      fused([](Expr re, Expr im,
               Expr power) { return expr::power(expr::sqrt(re * re + im * im), power); },
            parts[0], parts[1], Tensor(config.mag_exp));
  Tensor y = ops::matmul(ops::cast(strength, dtype), ops::cast(bands_, dtype));
  if (config.power_to_db) {
    const double reference =
        10 * std::log10(std::max(std::abs(config.ref_power), config.min_power));
    const Tensor decibels = fused(
        [](Expr y, Expr least, Expr reference) {
          return expr::log10(expr::maximum(y, least)) * 10.0 - reference;
        },
        y, Tensor(config.min_power), Tensor(reference));
    y = fused([](Expr y, Expr most, Expr range) { return expr::maximum(y, most - range); },
              decibels, ops::max(decibels), Tensor(config.top_db));
  }
  return ops::cast(ops::swapaxes(y, -1, -2), compute_dtype());
}

void register_mel_spectrogram(Catalog& c) {
  c.add<MelSpectrogramLayer>("keras.layers.MelSpectrogram");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MelSpectrogramLayer,
                              cornu::layers::MelSpectrogramConfig>;
