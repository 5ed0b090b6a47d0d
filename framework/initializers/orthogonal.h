// Orthogonal: a random matrix with orthonormal rows or columns.
#pragma once
#include "random_initializer.h"

namespace cornu::initializers {

/// Options of Orthogonal, as in Keras.
struct OrthogonalConfig {
  double gain = 1.0;     ///< factor of all elements
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
};

/// `gain` times a matrix whose columns (or rows, if there are fewer) are orthonormal, of shape
/// (product of the leading axes, last axis); evenly distributed among such matrices. Saxe et al.
/// 2013. Throws ShapeError for fewer than two axes.
class OrthogonalInitializer
    : public Configured<OrthogonalInitializer, OrthogonalConfig, RandomInitializer> {
 public:
  explicit OrthogonalInitializer(OrthogonalConfig c);  ///< chooses a seed unless one is given
  Tensor operator()(const Shape& shape, DType dtype) override;  ///< the same values in each call
  /// In Keras's order, with the seed first.
  Value::Dict get_config() const override;
};

using Orthogonal =
    Ref<OrthogonalInitializer>;  ///< a shared OrthogonalInitializer, made from its options
using orthogonal = Orthogonal;   ///< Orthogonal by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::OrthogonalInitializer,
                                 initializers::OrthogonalConfig, initializers::RandomInitializer>;
}
