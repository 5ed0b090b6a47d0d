// Quantizer: how floats become integers of few bits.
#pragma once
#include <optional>
#include <utility>

#include "../config/configurable.h"
#include "../ops/op.h"

namespace cornu {

/// Maps floats to integers and a scale. Built-in ones are in cornu::quantizers.
class Quantizer : public Configurable {
 public:
  static constexpr const char* module = "keras.quantizers";  ///< where names are looked up
  /// {integers, scale}, where integers / scale is about x and the scale keeps the axes that it
  /// serves with size 1: `axis` if given, else the quantizer's own, else the last one.
  virtual std::pair<Tensor, Tensor> operator()(const Tensor& x,
                                               const std::optional<Axes>& axis = {}) const = 0;
  virtual DType output_dtype() const = 0;  ///< of the integers
  /// The least and the greatest integer.
  virtual std::pair<double, double> value_range() const = 0;
  /// The axes that it was made for.
  virtual std::optional<std::vector<int64_t>> axes() const { return {}; }
};

}  // namespace cornu
