// What images are off from those that Keras gave.
#pragma once
#include <cornu/framework/ops/core/cast.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

namespace cornu::test {

/// The largest difference between the numbers of x and those expected, in order; 1e30 where there
/// are more of the one than of the others.
inline double difference(const Tensor& x, const nlohmann::json& expected) {
  const std::vector<double> values = ops::cast(x, DType::float64).to_vector<double>();
  if (values.size() != expected.size()) return 1e30;
  double most = 0;
  for (size_t i = 0; i < values.size(); ++i)
    most = std::max(most, std::abs(values[i] - expected[i].get<double>()));
  return most;
}

}  // namespace cornu::test
