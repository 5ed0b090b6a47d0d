// Zeros: all elements 0.
#pragma once
#include "../base/initializer.h"
#include "../config/config.h"

namespace cornu::initializers {

/// Zeros has no options.
struct ZerosConfig {};

/// All elements 0, of any dtype.
class ZerosInitializer : public Configured<ZerosInitializer, ZerosConfig, Initializer> {
 public:
  using Configured::Configured;
  Tensor operator()(const Shape& shape, DType dtype) override;
};

using Zeros = Ref<ZerosInitializer>;  ///< a shared ZerosInitializer, made from its options
using zeros = Zeros;                  ///< Zeros by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::ZerosInitializer, initializers::ZerosConfig,
                                 Initializer>;
}
