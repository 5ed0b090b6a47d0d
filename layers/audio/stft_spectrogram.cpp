// Spectra of frames.
#include "stft_spectrogram.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "../../backend/log.h"
#include "../../framework/config/quoted_names.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/nn/convolution.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

void check_choice(const char* option, const std::string& value, std::vector<std::string> known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  throw ValueError(fmt::format("option '{}' is '{}'.{} Known are {}.", option, value,
                               did_you_mean(value, known), detail::quoted_names(known)));
}

// Bins 1 to n - 2 of (..., bins) twice: they count for the negative frequencies too.
Tensor both_sides(const Tensor& power) {
  const int64_t bins = power.shape().back();
  std::vector<float> weights(static_cast<size_t>(bins), 2);
  weights.front() = weights.back() = 1;
  return power * ops::cast(Tensor(weights), power.dtype());
}

}  // namespace

STFTSpectrogramLayer::STFTSpectrogramLayer(STFTSpectrogramConfig c)
    : LayerOf(std::move(c)), channels_first_(channels_first(config.data_format)) {
  check_positive("frame_length", config.frame_length);
  if (config.frame_step && (*config.frame_step < 1 || *config.frame_step > config.frame_length))
    throw ValueError(fmt::format(
        "option 'frame_step' must be positive and at most frame_length, found {} and {}.",
        *config.frame_step, config.frame_length));
  if (!config.frame_step && config.frame_length < 2)
    throw ValueError("option 'frame_length' must be at least 2 where no frame_step is given.");
  if (config.fft_length) {
    if (*config.fft_length < config.frame_length)
      throw ValueError(
          fmt::format("option 'fft_length' must be at least frame_length, found {} and {}.",
                      *config.fft_length, config.frame_length));
    if (!std::has_single_bit(static_cast<uint64_t>(*config.fft_length)))
      warn_once(fmt::format("STFTSpectrogram: fft_length should be a power of two, found {}.",
                            *config.fft_length));
  }
  check_choice("mode", config.mode, {"log", "magnitude", "psd", "real", "imag", "angle", "stft"});
  if (config.scaling) check_choice("scaling", *config.scaling, {"density", "spectrum"});
  check_choice("padding", config.padding, {"valid", "same"});
  if (std::holds_alternative<std::string>(config.window.variant()))
    config.window.values(2, false);  // throws for an unknown name
}

void STFTSpectrogramLayer::build(const Shape& input) {
  check_rank(input, 3, channels_first_ ? "(batch, channels, time)" : "(batch, time, channels)");
  const int64_t fft_length = config.fft_length.value_or(
      static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(config.frame_length))));
  const auto waves = [&](const char* side) {
    return add_weight({.name = std::string(side) + "_kernel",
                       .shape = {config.frame_length, 1, fft_length / 2 + 1},
                       .initializer = initializers::STFT({.side = side,
                                                          .window = config.window,
                                                          .scaling = config.scaling,
                                                          .periodic = config.periodic})});
  };
  if (config.mode != "imag") real_kernel = waves("real");
  if (config.mode != "real") imag_kernel = waves("imag");
}

// (batch, channels, frames, bins), each channel by itself.
Tensor STFTSpectrogramLayer::spectrum(const Tensor& x, const Tensor& kernel) const {
  const Tensor signals = channels_first_ ? x : ops::transpose(x, {{0, 2, 1}});
  const Shape& s = signals.shape();
  const Tensor y =
      ops::conv(ops::reshape(signals, {s[0] * s[1], s[2], 1}), ops::cast(kernel, x.dtype()),
                {config.frame_step.value_or(config.frame_length / 2)}, config.padding);
  return ops::reshape(y, {s[0], s[1], y.shape()[1], y.shape()[2]});
}

Tensor STFTSpectrogramLayer::arranged(const Tensor& y) const {
  const Shape& s = y.shape();
  if (config.expand_dims) return channels_first_ ? y : ops::transpose(y, {{0, 2, 3, 1}});
  if (channels_first_)
    return ops::reshape(ops::transpose(y, {{0, 1, 3, 2}}), {s[0], s[1] * s[3], s[2]});
  return ops::reshape(ops::transpose(y, {{0, 2, 1, 3}}), {s[0], s[2], s[1] * s[3]});
}

Tensor STFTSpectrogramLayer::call(const Tensor& x, const Call&) {
  check_rank(x.shape(), 3, channels_first_ ? "(batch, channels, time)" : "(batch, time, channels)");
  if (!is_float(x.dtype()) || x.dtype() == DType::bfloat16)
    throw ValueError(fmt::format("expected an input of float16, float32 or float64, found {}.",
                                 dtype_name(x.dtype())));
  const std::string& mode = config.mode;
  Tensor real, imaginary;
  if (mode != "imag") real = spectrum(x, real_kernel);
  if (mode != "real") imaginary = spectrum(x, imag_kernel);
  if (mode == "real") return arranged(real);
  if (mode == "imag") return arranged(imaginary);
  if (mode == "angle") return arranged(ops::arctan2(imaginary, real));
  if (mode == "stft") return arranged(ops::concatenate({real, imaginary}, 3));
  const Tensor power = fused([](Expr a, Expr b) { return a * a + b * b; }, real, imaginary);
  if (mode == "psd") return arranged(both_sides(power));
  const Tensor magnitude =
      fused([](Expr p, Expr e) { return expr::sqrt(expr::maximum(p, e)); }, power, Tensor(1e-7));
  if (mode == "magnitude") return arranged(magnitude);
  return arranged(fused([](Expr m, Expr e) { return expr::log(expr::maximum(m, e)); }, magnitude,
                        Tensor(1e-7)));
}

void register_stft_spectrogram(Catalog& c) {
  c.add<STFTSpectrogramLayer>("keras.layers.STFTSpectrogram");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::STFTSpectrogramLayer,
                              cornu::layers::STFTSpectrogramConfig>;
