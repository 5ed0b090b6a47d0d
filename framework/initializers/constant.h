// Constant: all elements one number.
#pragma once
#include <variant>

#include "../base/initializer.h"
#include "../base/number.h"
#include "../config/config.h"

namespace cornu::initializers {

/// A number, or an array with a number for each element.
class ConstantValue {
 public:
  /// Any number.
  template <class T>
  requires std::is_arithmetic_v<T> ConstantValue(T number) : value_(Number(number)) {}
  /// Any number.
  ConstantValue(Number number) : value_(number) {}
  /// An array, such as word vectors that there are; it must have values.
  ConstantValue(Tensor array) : value_(std::move(array)) {}
  const std::variant<Number, Tensor>& get() const { return value_; }  ///< for std::visit

 private:
  std::variant<Number, Tensor> value_;
};

/// Options of Constant, as in Keras.
struct ConstantConfig {
  ConstantValue value = 0.0;  ///< of every element, or an array of the weight's shape
};

/// All elements `value`, converted to the dtype; an array broadcasts to the weight's shape. Throws
/// ShapeError when it does not.
class ConstantInitializer : public Configured<ConstantInitializer, ConstantConfig, Initializer> {
 public:
  using Configured::Configured;
  Tensor operator()(const Shape& shape, DType dtype) override;
};

using Constant = Ref<ConstantInitializer>;  ///< a shared ConstantInitializer, made from its options
using constant = Constant;                  ///< Constant by its other name

}  // namespace cornu::initializers

namespace cornu::detail {
template <>
struct OptionCodec<initializers::ConstantValue> {
  static Value encode(const initializers::ConstantValue& v);
  static initializers::ConstantValue decode(const Value& v);
};
}  // namespace cornu::detail

namespace cornu {
extern template class Configured<initializers::ConstantInitializer, initializers::ConstantConfig,
                                 Initializer>;
}
