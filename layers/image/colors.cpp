// Factors, ranges and draws of layers on colors.
#include "colors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"

namespace cornu::layers {

Numbers settled_factor(const Numbers& factor, double low, double high, const char* option) {
  const std::vector<double>& f = factor.values();
  const auto fail = [&](const std::string& found) {
    throw ValueError(fmt::format("{}: expected one number or two in [{}, {}], found {}.", option,
                                 low, high, found));
  };
  if (f.empty() || f.size() > 2) fail(fmt::format("{} numbers", f.size()));
  if (f.size() == 2) {
    if (!(f[0] <= high && f[1] >= low)) fail(fmt::format("{} and {}", f[0], f[1]));
    return Numbers(std::vector<double>{std::min(f[0], f[1]), std::max(f[0], f[1])});
  }
  if (!(f[0] >= low && f[0] <= high)) fail(fmt::format("{}", f[0]));
  return Numbers(std::vector<double>{std::max(-std::abs(f[0]), low), std::abs(f[0])});
}

void check_range(const std::vector<double>& value_range) {
  if (value_range.size() != 2)
    throw ValueError(fmt::format("value_range: expected two numbers [low, high], found {}.",
                                 value_range.size()));
}

std::vector<double> settled_range(const std::vector<double>& value_range) {
  check_range(value_range);
  return {std::min(value_range[0], value_range[1]), std::max(value_range[0], value_range[1])};
}

Tensor draw_for_images(const Nest& data, double low, double high, SeedGenerator& seeds,
                       DType dtype) {
  return random::uniform({batch_of(data)}, low, high, seeds, dtype);
}

Tensor per_image(const Tensor& draws, int rank) {
  Shape shape = draws.shape();
  while (shape.rank() < rank) shape.push_back(1);
  return ops::reshape(draws, shape);
}

Tensor transform_value_range(const Tensor& x, const std::vector<double>& from,
                             const std::vector<double>& to, DType dtype) {
  if (from == to) return x;
  // Operation by operation: in float16 each rounds, and the next may make much of it.
  return (ops::cast(x, dtype) - from[0]) / (from[1] - from[0]) * (to[1] - to[0]) + to[0];
}

}  // namespace cornu::layers
