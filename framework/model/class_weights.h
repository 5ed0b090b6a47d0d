// ClassWeights: how much the samples of each class count.
#pragma once
#include <concepts>
#include <cstdint>
#include <map>

namespace cornu {

/// The weight of a class's samples by its number, `{{0, 1.0}, {1, 5.0}}`; a class that is not here
/// has the weight 1.
class ClassWeights : public std::map<int64_t, double> {
 public:
  using map::map;
  /// The same of a map with another type of whole numbers, such as `std::map<int, double>`.
  template <std::integral Class, std::convertible_to<double> Weight>
  ClassWeights(const std::map<Class, Weight>& weights) : map(weights.begin(), weights.end()) {}
};

}  // namespace cornu
