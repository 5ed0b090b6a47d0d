// Ones: all elements 1.
#pragma once
#include "../base/initializer.h"
#include "../config/config.h"

namespace cornu::initializers {

/// Ones has no options.
struct OnesConfig {};

/// All elements 1, of any dtype.
class OnesInitializer : public Configured<OnesInitializer, OnesConfig, Initializer> {
 public:
  using Configured::Configured;
  Tensor operator()(const Shape& shape, DType dtype) override;
};

using Ones = Ref<OnesInitializer>;  ///< a shared OnesInitializer, made from its options
using ones = Ones;                  ///< Ones by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::OnesInitializer, initializers::OnesConfig,
                                 Initializer>;
}
