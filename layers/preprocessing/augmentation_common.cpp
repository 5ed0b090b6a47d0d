// Ranges and draws of random changes.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../framework/ops/elementwise.h"
#include "augmentation.h"

namespace cornu::layers {

std::pair<double, double> factor_range(const std::vector<double>& factor, double low, double high) {
  if (factor.empty() || factor.size() > 2)
    throw ValueError(fmt::format("factor: expected one number or two, found {}.", factor.size()));
  for (double f : factor)
    if (f < low || f > high)
      throw ValueError(
          fmt::format("factor: expected numbers in [{}, {}], found {}.", low, high, f));
  if (factor.size() == 2) return std::minmax(factor[0], factor[1]);
  return {std::max(-std::abs(factor[0]), low), std::abs(factor[0])};
}

std::pair<double, double> checked_range(const std::vector<double>& value_range) {
  if (value_range.size() != 2)
    throw ValueError(
        fmt::format("value_range: expected two numbers, found {}.", value_range.size()));
  return std::minmax(value_range[0], value_range[1]);
}

Tensor draw_per_image(const Tensor& x, double low, double high, const Seed& seed) {
  if (x.rank() != 3 && x.rank() != 4)
    throw ShapeError(
        fmt::format("expected one image (3 axes) or a batch of them (4 axes), found shape {}.",
                    x.shape().str()));
  const Shape shape = x.rank() == 4 ? Shape{x.shape()[0], 1, 1, 1} : Shape{1, 1, 1};
  return random::uniform(shape, low, high, seed);
}

Tensor to_range(const Tensor& x, std::pair<double, double> from, std::pair<double, double> to) {
  if (from == to) return x;
  return fused([](Expr x, Expr low, Expr span, Expr scale,
                  Expr offset) { return (x - low) / span * scale + offset; },
               x, Tensor(from.first), Tensor(from.second - from.first),
               Tensor(to.second - to.first), Tensor(to.first));
}

}  // namespace cornu::layers
