// Weights in few bits, each of which makes up for the rounding of those before.
#include "gptq.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "../ops/core/cast.h"
#include "../ops/linalg/solvers.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/numpy/products.h"
#include "../ops/operators.h"
#include "affine.h"
#include "calibrated_options.h"

namespace cornu::quantizers {

GPTQQuantization::GPTQQuantization(GPTQOptions c) : ConfiguredCalibration(std::move(c)) {
  const int64_t bits = config.weight_bits;
  if (bits != 2 && bits != 3 && bits != 4 && bits != 8)
    throw ValueError(fmt::format("GPTQConfig: weight_bits must be 2, 3, 4 or 8, found {}.", bits));
  check_calibrated_options("GPTQConfig", config.num_samples, config.sequence_length,
                           config.group_size);
  if (!(config.hessian_damping >= 0 && config.hessian_damping <= 1))
    throw ValueError(fmt::format("GPTQConfig: hessian_damping must be between 0 and 1, found {}.",
                                 config.hessian_damping));
}

std::string GPTQQuantization::policy_mode() const {
  return fmt::format("gptq/{}/{}", config.weight_bits, config.group_size);
}

std::unique_ptr<CalibrationStatistics> GPTQQuantization::statistics(int64_t features) const {
  return std::make_unique<HessianEstimate>(features);
}

CalibratedKernel GPTQQuantization::quantize(const Tensor& kernel,
                                            const CalibrationStatistics& statistics) const {
  return gptq_quantize(kernel, dynamic_cast<const HessianEstimate&>(statistics).value(), config);
}

HessianEstimate::HessianEstimate(int64_t features) : value_(ops::zeros({features, features})) {}

void HessianEstimate::add(const Tensor& inputs) {
  if (inputs.rank() != 2 || inputs.shape()[1] != value_.shape()[0])
    throw ShapeError(fmt::format("HessianEstimate: expected inputs (samples, {}), found {}.",
                                 value_.shape()[0], inputs.shape().str()));
  const Tensor x = ops::cast(inputs, DType::float32);
  const Tensor gram = ops::matmul_transposed(x, x, true, false);
  const auto before = static_cast<float>(samples_);
  samples_ += x.shape()[0];
  const auto all = static_cast<float>(samples_);
  value_ = value_ * Tensor(before / all) +
           (gram + ops::transpose(gram)) / Tensor(2.0F) * Tensor(2.0F / all);
}

namespace {

// A matrix on the host, by rows.
struct Matrix {
  std::vector<float> values;
  size_t columns = 0;

  float* row(size_t i) { return values.data() + i * columns; }
  const float* row(size_t i) const { return values.data() + i * columns; }
  size_t rows() const { return values.size() / columns; }
};

Matrix matrix_of(const Tensor& x) {
  return {ops::cast(x, DType::float32).to_vector<float>(), static_cast<size_t>(x.shape()[1])};
}

Tensor tensor_of(const Matrix& m) {
  return Tensor::from(m.values, {static_cast<int64_t>(m.rows()), static_cast<int64_t>(m.columns)});
}

// Features whose inputs were always 0 get a 1, and all of them part of the mean.
void dampen(Matrix& hessian, double damping) {
  const size_t n = hessian.columns;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    if (hessian.row(i)[i] == 0) hessian.row(i)[i] = 1;
    sum += hessian.row(i)[i];
  }
  const auto added = static_cast<float>(damping) * static_cast<float>(sum / static_cast<double>(n));
  for (size_t i = 0; i < n; ++i) hessian.row(i)[i] += added;
}

// The order in which features are rounded.
std::vector<size_t> order_of(const Matrix& hessian, bool largest_first) {
  std::vector<size_t> order(hessian.columns);
  std::iota(order.begin(), order.end(), size_t{0});
  if (largest_first)
    std::ranges::stable_sort(
        order, [&](size_t a, size_t b) { return hessian.row(a)[a] > hessian.row(b)[b]; });
  return order;
}

Matrix reordered(const Matrix& m, const std::vector<size_t>& rows,
                 const std::vector<size_t>& columns) {
  Matrix result{{}, columns.size()};
  for (size_t i : rows)
    for (size_t k : columns) result.values.push_back(m.row(i)[k]);
  return result;
}

// What a block of features lost is taken off all features behind it.
void pass_on(Matrix& weights, const Matrix& inverse, const Matrix& errors, size_t begin,
             size_t end) {
  Matrix influence{{}, weights.rows() - end};
  for (size_t i = begin; i < end; ++i)
    influence.values.insert(influence.values.end(), inverse.row(i) + end,
                            inverse.row(i) + inverse.columns);
  const std::vector<float> update =
      ops::matmul_transposed(tensor_of(influence), tensor_of(errors), true, false)
          .to_vector<float>();
  for (size_t i = 0; i < update.size(); ++i) weights.row(end)[i] -= update[i];
}

}  // namespace

CalibratedKernel gptq_quantize(const Tensor& kernel, const Tensor& hessian,
                               const GPTQOptions& options) {
  if (kernel.rank() != 2 || hessian.shape() != Shape{kernel.shape()[0], kernel.shape()[0]})
    throw ShapeError(fmt::format(
        "gptq_quantize: expected a kernel (features, channels) and a Hessian (features, features), "
        "found {} and {}.",
        kernel.shape().str(), hessian.shape().str()));
  Matrix damped = matrix_of(hessian);
  dampen(damped, options.hessian_damping);
  const std::vector<size_t> order = order_of(damped, options.activation_order);
  const Matrix inverse = reordered(matrix_of(ops::inv(tensor_of(damped))), order, order);
  std::vector<size_t> all(static_cast<size_t>(kernel.shape()[1]));
  std::iota(all.begin(), all.end(), size_t{0});
  Matrix weights = reordered(matrix_of(kernel), order, all);

  const size_t features = weights.rows(), channels = weights.columns;
  constexpr size_t block_size = 128;
  const auto most = static_cast<float>((int64_t{1} << options.weight_bits) - 1);
  const size_t group_size =
      options.group_size == -1 ? features : static_cast<size_t>(options.group_size);
  GroupParameters groups(channels);
  AffineParameters group;
  std::vector<uint8_t> values(features * channels);
  for (size_t begin = 0; begin < features; begin += block_size) {
    const size_t end = std::min(begin + block_size, features);
    // The block's weights change from feature to feature. The scales of a group are found from
    // those that it had before its block, and serve it to its end. (Keras finds them anew at the
    // 128th feature, and fails to put them into the layer.)
    Matrix block{{weights.row(begin), weights.row(begin) + (end - begin) * channels}, channels};
    Matrix errors{std::vector<float>(block.values.size()), channels};
    for (size_t i = 0; i < end - begin; ++i) {
      const size_t feature = begin + i;
      if (feature % group_size == 0) {
        const size_t rows = std::min(group_size, features - feature);
        group = affine_parameters({weights.row(feature), rows * channels},
                                  static_cast<int64_t>(channels),
                                  {options.weight_bits, options.symmetric, options.per_channel});
        groups.add(group);
      }
      const float* influence = inverse.row(feature) + begin;
      float* error = errors.row(i);
      for (size_t c = 0; c < channels; ++c) {
        const float weight = block.row(i)[c], scale = group.scale[c], zero = group.zero[c];
        const float value = to_affine(weight, scale, zero, most);
        values[c * features + order[feature]] = static_cast<uint8_t>(value);
        error[c] = (weight - scale * (value - zero)) / influence[i];
      }
      for (size_t k = i + 1; k < end - begin; ++k)
        for (size_t c = 0; c < channels; ++c) block.row(k)[c] -= error[c] * influence[k];
    }
    if (end < features) pass_on(weights, inverse, errors, begin, end);
  }
  std::vector<float> group_of(features);
  for (size_t i = 0; i < features; ++i)
    group_of[order[i]] = static_cast<float>(i) / static_cast<float>(group_size);
  const Shape shape = {static_cast<int64_t>(channels), static_cast<int64_t>(features)};
  return {Tensor::from(values, shape), groups.scale(), groups.zero(),
          Tensor::from(group_of, {shape[1]})};
}

void register_gptq(Catalog& c) {
  c.add<GPTQQuantization>("keras.quantizers.GPTQConfig");
  c.add_alias("keras.quantizers", "gptq", "GPTQConfig");
}

}  // namespace cornu::quantizers
