// Zeros.
#include "zeros.h"

#include "../ops/numpy/creation.h"

namespace cornu::initializers {

Tensor ZerosInitializer::operator()(const Shape& shape, DType dtype) {
  return ops::zeros(shape, dtype);
}

void register_zeros(Catalog& c) {
  c.add<ZerosInitializer>("keras.initializers.Zeros");
  c.add_alias("keras.initializers", "zero", "Zeros");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::ZerosInitializer, initializers::ZerosConfig, Initializer>;
}
