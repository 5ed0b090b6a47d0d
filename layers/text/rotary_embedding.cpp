// Turning features by angles that tell places.
#include "rotary_embedding.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

RotaryEmbeddingLayer::RotaryEmbeddingLayer(RotaryEmbeddingConfig c) : LayerOf(std::move(c)) {
  const auto check = [](const char* option, const std::optional<double>& value) {
    if (value && !(*value > 0))
      throw ValueError(fmt::format("option '{}' must be positive, found {}.", option, *value));
  };
  check("max_wavelength", config.max_wavelength);
  check("scaling_factor", config.scaling_factor);
  check("frequency_adjustment_factor", config.frequency_adjustment_factor);
  check("low_freq_factor", config.low_freq_factor);
  check("high_freq_factor", config.high_freq_factor);
  check("pretraining_sequence_length", config.pretraining_sequence_length);
  const int given = config.frequency_adjustment_factor.has_value() +
                    config.low_freq_factor.has_value() + config.high_freq_factor.has_value() +
                    config.pretraining_sequence_length.has_value();
  if (given != 0 && given != 4)
    throw ValueError(
        fmt::format("options 'frequency_adjustment_factor', 'low_freq_factor', 'high_freq_factor' "
                    "and 'pretraining_sequence_length' go together, found {} of the four; give all "
                    "of them or none.",
                    given));
  if (given && !(*config.high_freq_factor > *config.low_freq_factor))
    throw ValueError(
        fmt::format("option 'high_freq_factor' must be above low_freq_factor, found {} and {}.",
                    *config.high_freq_factor, *config.low_freq_factor));
  supports_masking_ = true;
}

std::vector<float> RotaryEmbeddingLayer::frequencies(int64_t features) const {
  std::vector<float> result;
  for (int64_t i = 0; i < features; i += 2) {
    double frequency = std::pow(config.max_wavelength, -static_cast<double>(i) / features);
    if (config.frequency_adjustment_factor) {
      const double turns = *config.pretraining_sequence_length * frequency / (2 * std::numbers::pi);
      const double low = *config.low_freq_factor, high = *config.high_freq_factor;
      const double kept = std::clamp((turns - low) / (high - low), 0.0, 1.0);
      frequency *= kept + (1 - kept) / *config.frequency_adjustment_factor;
    }
    result.push_back(static_cast<float>(frequency / config.scaling_factor));
  }
  return result;
}

Tensor RotaryEmbeddingLayer::call(const Tensor& x, const Call&) { return at(x, Tensor(0)); }

Tensor RotaryEmbeddingLayer::at(const Tensor& x, const Tensor& start) const {
  check_min_rank(x.shape(), 3);
  const int64_t features = x.shape().back();
  if (features % 2 != 0)
    throw ShapeError(fmt::format(
        "the features are turned in pairs; expected an even last axis, found {} in an input of "
        "shape {}.",
        features, x.shape().str()));
  // In float32: 16 bits do not tell late places apart.
  const Tensor places = ops::cast(ops::arange(x.shape()[1], DType::int32) + start, DType::float32);
  std::vector<int64_t> behind;  // of a place's axis: those of x but for the batch's
  for (int axis = 2; axis < x.rank(); ++axis) behind.push_back(axis - 1);
  const Tensor angles =
      ops::expand_dims(places, behind) * Tensor::from(frequencies(features), {features / 2});
  const Tensor cosine = ops::cast(ops::cos(angles), x.dtype());
  const Tensor sine = ops::cast(ops::sin(angles), x.dtype());
  const std::vector<Tensor> halves = ops::split(x, 2, -1);
  return ops::concatenate({halves[0] * cosine - halves[1] * sine,  //
                           halves[1] * cosine + halves[0] * sine},
                          -1);
}

void register_rotary_embedding(Catalog& c) {
  c.add<RotaryEmbeddingLayer>("keras_hub>RotaryEmbedding");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RotaryEmbeddingLayer,
                              cornu::layers::RotaryEmbeddingConfig>;
