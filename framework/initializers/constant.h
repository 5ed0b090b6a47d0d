// Constant: all elements one number.
#pragma once
#include "../base/initializer.h"
#include "../base/number.h"
#include "../config/config.h"

namespace cornu::initializers {

/// Options of Constant, as in Keras.
struct ConstantConfig {
  Number value = 0.0;  ///< of every element
};

/// All elements `value`, converted to the dtype.
class ConstantInitializer : public Configured<ConstantInitializer, ConstantConfig, Initializer> {
 public:
  using Configured::Configured;
  Tensor operator()(const Shape& shape, DType dtype) override;
};

using Constant = Ref<ConstantInitializer>;  ///< a shared ConstantInitializer, made from its options

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::ConstantInitializer, initializers::ConstantConfig,
                                 Initializer>;
}
