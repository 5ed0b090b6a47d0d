// The option `alpha` of losses of classes.
#pragma once
#include <initializer_list>
#include <vector>

#include "../framework/config/option.h"

namespace cornu::losses {

/// A weight of all classes, or one of each: `.alpha = 0.25` or `{0.1, 0.2, 0.7}`.
class ClassWeights {
 public:
  ClassWeights(double weight) : weights_{weight}, single_(true) {}  ///< one for all classes

  /// One for each class.
  ClassWeights(std::vector<double> weights) : weights_(std::move(weights)) {}
  ClassWeights(std::initializer_list<double> weights) : weights_(weights) {}  ///< the same

  bool is_single() const { return single_; }                      ///< whether one holds for all
  const std::vector<double>& values() const { return weights_; }  ///< one, or one for each class

 private:
  std::vector<double> weights_;
  bool single_ = false;
};

}  // namespace cornu::losses

namespace cornu::detail {
template <>
struct OptionCodec<losses::ClassWeights> {
  static Value encode(const losses::ClassWeights& v) {
    return v.is_single() ? Value(v.values()[0]) : to_value(v.values());
  }
  static losses::ClassWeights decode(const Value& v) {
    if (v.is<Value::List>()) return from_value<std::vector<double>>(v);
    return from_value<double>(v);
  }
};
}  // namespace cornu::detail
