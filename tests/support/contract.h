// What contract tests share: errors as text, objects made again from their configs, exact and close
// comparisons.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <cornu/cornu.h>

#include "../catch.h"
#include "error_of.h"
#include "layer_check.h"

namespace cornu::test {

/// Equal shape, dtype and bits.
inline bool identical(const Tensor& a, const Tensor& b) {
  if (!a || !b || a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  return a.to_vector<double>() == b.to_vector<double>();
}

/// The numbers of `t` against expected ones.
inline bool equals(const Tensor& t, const std::vector<double>& expected, double tolerance = 1e-5) {
  UNSCOPED_INFO("found " << t.str());
  return static_cast<size_t>(t.size()) == expected.size() &&
         difference(Tensor::from(t.to_vector<double>(), {t.size()}),
                    Tensor::from(expected, {t.size()})) < tolerance;
}

/// The object made again from its config, whose config is the same.
template <class T>
std::shared_ptr<T> remade(const T& object) {
  const Value config = serialize(object);
  auto copy = std::dynamic_pointer_cast<T>(deserialize(config));
  REQUIRE(copy);
  std::string where;
  same(serialize(*copy), config, where);
  INFO("differs at " << where);
  CHECK(where.empty());
  return copy;
}

}  // namespace cornu::test
