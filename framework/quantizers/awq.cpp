// Weights in 4 bits, where those that meet large inputs are rounded less.
#include "awq.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../ops/core/cast.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/reduction.h"
#include "affine.h"
#include "calibrated_options.h"

namespace cornu::quantizers {

AWQQuantization::AWQQuantization(AWQOptions c) : ConfiguredCalibration(std::move(c)) {
  if (config.weight_bits != 4)
    throw ValueError(
        fmt::format("AWQConfig: weight_bits must be 4, found {}.", config.weight_bits));
  check_calibrated_options("AWQConfig", config.num_samples, config.sequence_length,
                           config.group_size);
  if (config.num_grid_points < 1)
    throw ValueError(fmt::format("AWQConfig: num_grid_points must be positive, found {}.",
                                 config.num_grid_points));
}

std::string AWQQuantization::policy_mode() const {
  return fmt::format("awq/{}/{}", config.weight_bits, config.group_size);
}

std::unique_ptr<CalibrationStatistics> AWQQuantization::statistics(int64_t features) const {
  return std::make_unique<ActivationMagnitudes>(features);
}

CalibratedKernel AWQQuantization::quantize(const Tensor& kernel,
                                           const CalibrationStatistics& statistics) const {
  return awq_quantize(kernel, dynamic_cast<const ActivationMagnitudes&>(statistics).value(),
                      config);
}

ActivationMagnitudes::ActivationMagnitudes(int64_t features) : value_(ops::zeros({features})) {}

void ActivationMagnitudes::add(const Tensor& inputs) {
  if (inputs.rank() != 2 || inputs.shape()[1] != value_.shape()[0])
    throw ShapeError(fmt::format("ActivationMagnitudes: expected inputs (samples, {}), found {}.",
                                 value_.shape()[0], inputs.shape().str()));
  value_ = ops::maximum(value_, ops::max(ops::absolute(ops::cast(inputs, DType::float32)), 0));
}

namespace {

// A kernel by rows of features, in 4 bits.
class Rounded {
 public:
  Rounded(const std::vector<float>& weights, size_t channels, const std::vector<float>& scales,
          int64_t group_size)
      : features_(scales.size()), channels_(channels), groups_(channels) {
    std::vector<float> scaled = weights;
    for (size_t i = 0; i < scaled.size(); ++i) scaled[i] *= scales[i / channels];
    size_ = group_size == -1 ? std::max<size_t>(features_, 1) : static_cast<size_t>(group_size);
    for (size_t begin = 0; begin < features_; begin += size_) {
      const size_t end = std::min(begin + size_, features_);
      // Keras fills up the last of several groups with zeros, which count.
      const bool filled = features_ > size_ && end - begin < size_;
      groups_.add(affine_parameters({scaled.data() + begin * channels, (end - begin) * channels},
                                    static_cast<int64_t>(channels), {}, filled));
    }
    for (size_t i = 0; i < scaled.size(); ++i)
      values_.push_back(to_affine(scaled[i], scale(i), zero(i), 15));
  }

  // The weights' squared errors, by the squares of their inputs.
  double loss(const std::vector<float>& weights, const std::vector<float>& scales,
              const std::vector<float>& magnitudes) const {
    double sum = 0;
    for (size_t i = 0; i < values_.size(); ++i) {
      const size_t feature = i / channels_;
      const float error = weights[i] - (values_[i] - zero(i)) * scale(i) / scales[feature];
      const float largest = magnitudes[feature];
      sum += error * error * (largest * largest);
    }
    return sum / static_cast<double>(values_.size());
  }

  CalibratedKernel kernel(const std::vector<float>& scales) const {
    std::vector<uint8_t> values(values_.size());
    for (size_t i = 0; i < values_.size(); ++i)
      values[i % channels_ * features_ + i / channels_] = static_cast<uint8_t>(values_[i]);
    std::vector<float> group_of(features_);
    for (size_t i = 0; i < features_; ++i) {
      const size_t group = i / size_;
      group_of[i] = static_cast<float>(group);
    }
    const Shape shape = {static_cast<int64_t>(channels_), static_cast<int64_t>(features_)};
    return {Tensor::from(values, shape), groups_.scale(), groups_.zero(),
            Tensor::from(group_of, {shape[1]}), Tensor::from(scales, {shape[1]})};
  }

 private:
  float scale(size_t i) const { return groups_[i / channels_ / size_].scale[i % channels_]; }
  float zero(size_t i) const { return groups_[i / channels_ / size_].zero[i % channels_]; }

  size_t features_, channels_, size_ = 1;
  GroupParameters groups_;
  std::vector<float> values_;
};

// magnitudes^ratio, divided by the geometric mean of the least and the greatest.
std::vector<float> scales_of(const std::vector<float>& magnitudes, double ratio) {
  std::vector<float> scales;
  for (float m : magnitudes)
    scales.push_back(std::max(ratio == 0 ? 1.0F : std::pow(m, static_cast<float>(ratio)), 1e-4F));
  const auto [least, greatest] = std::ranges::minmax(scales);
  const float mean = std::max(std::sqrt(greatest * least), 1e-8F);
  for (float& scale : scales) scale /= mean;
  return scales;
}

}  // namespace

CalibratedKernel awq_quantize(const Tensor& kernel, const Tensor& activation_magnitudes,
                              const AWQOptions& options) {
  if (kernel.rank() != 2 || activation_magnitudes.shape() != Shape{kernel.shape()[0]})
    throw ShapeError(fmt::format(
        "awq_quantize: expected a kernel (features, channels) and magnitudes (features), found {} "
        "and {}.",
        kernel.shape().str(), activation_magnitudes.shape().str()));
  const auto weights = ops::cast(kernel, DType::float32).to_vector<float>();
  auto magnitudes = ops::cast(activation_magnitudes, DType::float32).to_vector<float>();
  // A feature that never had an input says nothing of its scale.
  for (float& m : magnitudes)
    if (m < 1e-8F) m = 1;
  const auto channels = static_cast<size_t>(kernel.shape()[1]);
  std::vector<float> best;
  double least = 0;
  for (int64_t i = 0; i <= options.num_grid_points; ++i) {
    const std::vector<float> scales = scales_of(
        magnitudes, static_cast<double>(i) / static_cast<double>(options.num_grid_points));
    const double loss =
        Rounded(weights, channels, scales, options.group_size).loss(weights, scales, magnitudes);
    if (!best.empty() && !(loss < least)) continue;
    best = scales;
    least = loss;
  }
  return Rounded(weights, channels, best, options.group_size).kernel(best);
}

void register_awq(Catalog& c) {
  c.add<AWQQuantization>("keras.quantizers.AWQConfig");
  c.add_alias("keras.quantizers", "awq", "AWQConfig");
}

}  // namespace cornu::quantizers
