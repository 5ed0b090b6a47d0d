// Identity: ones on the diagonal.
#pragma once
#include "../base/initializer.h"
#include "../config/config.h"

namespace cornu::initializers {

/// Options of Identity, as in Keras.
struct IdentityConfig {
  double gain = 1.0;  ///< factor of all elements
};

/// `gain` on the diagonal of a matrix, else 0. Throws ShapeError for other ranks than 2.
class IdentityInitializer : public Configured<IdentityInitializer, IdentityConfig, Initializer> {
 public:
  using Configured::Configured;
  Tensor operator()(const Shape& shape, DType dtype) override;
  /// As Keras, without `gain` unless it is not 1.
  Value::Dict get_config() const override;
};

using Identity = Ref<IdentityInitializer>;  ///< a shared IdentityInitializer, made from its options
using identity = Identity;                  ///< Identity by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::IdentityInitializer, initializers::IdentityConfig,
                                 Initializer>;
}
