// VarianceScaling.
#include "variance_scaling.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../ops/operators.h"
#include "../ops/random/draws.h"

namespace cornu::initializers {
namespace {

double product(const Shape& shape, const std::vector<int64_t>& axes) {
  double n = 1;
  for (const int64_t axis : axes) n *= static_cast<double>(shape.at(static_cast<int>(axis)));
  return n;
}

void check_one_of(const char* option, const std::string& value,
                  const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) == known.end())
    throw ValueError(fmt::format("VarianceScaling: {} '{}' is not known.{}", option, value,
                                 did_you_mean(value, known)));
}

// Standard deviation of a normal distribution that is cut off at two standard deviations.
constexpr double truncated_stddev = 0.87962566103423978;

}  // namespace

Fans compute_fans(const Shape& shape, const std::optional<std::vector<int64_t>>& input_axes,
                  const std::optional<std::vector<int64_t>>& output_axes) {
  if (input_axes && output_axes) return {product(shape, *input_axes), product(shape, *output_axes)};
  const int rank = shape.rank();
  if (rank == 0) return {1, 1};
  const double last = static_cast<double>(shape[rank - 1]);
  if (rank == 1) return {last, last};
  double window = 1;
  for (int i = 0; i < rank - 2; ++i) window *= static_cast<double>(shape[i]);
  return {window * static_cast<double>(shape[rank - 2]), window * last};
}

void VarianceDraw::set(VarianceScalingConfig rule) {
  if (!(rule.scale > 0))
    throw ValueError(fmt::format("VarianceScaling: scale must be positive, found {}.", rule.scale));
  check_one_of("mode", rule.mode, {"fan_in", "fan_out", "fan_avg"});
  if (rule.distribution == "normal") rule.distribution = "truncated_normal";
  check_one_of("distribution", rule.distribution,
               {"uniform", "truncated_normal", "untruncated_normal"});
  set_seed(rule.seed);
  rule_ = std::move(rule);
}

Tensor VarianceDraw::operator()(const Shape& shape, DType dtype) {
  const Fans fans = compute_fans(shape, rule_.input_axes, rule_.output_axes);
  const double fan = rule_.mode == "fan_in"    ? fans.in
                     : rule_.mode == "fan_out" ? fans.out
                                               : (fans.in + fans.out) / 2;
  const double variance = rule_.scale / std::max(1.0, fan);
  if (rule_.distribution == "uniform") {
    const double limit = std::sqrt(3 * variance);
    return random::uniform(shape, -limit, limit, draw_seed(), dtype);
  }
  const double stddev = std::sqrt(variance);
  if (rule_.distribution == "untruncated_normal")
    return random::normal(shape, 0, stddev, draw_seed(), dtype);
  return random::truncated_normal(shape, 0, stddev / truncated_stddev, draw_seed(), dtype);
}

VarianceScalingInitializer::VarianceScalingInitializer(VarianceScalingConfig c)
    : Configured(std::move(c)) {
  if (config.distribution == "normal") config.distribution = "truncated_normal";
  set(config);
}

Value::Dict VarianceScalingInitializer::get_config() const { return seed_first(to_dict(config)); }

void register_variance_scaling(Catalog& c) {
  c.add<VarianceScalingInitializer>("keras.initializers.VarianceScaling");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::VarianceScalingInitializer,
                          initializers::VarianceScalingConfig, initializers::VarianceDraw>;
}
