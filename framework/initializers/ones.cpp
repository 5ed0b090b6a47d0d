// Ones.
#include "ones.h"

#include "../ops/numpy/creation.h"

namespace cornu::initializers {

Tensor OnesInitializer::operator()(const Shape& shape, DType dtype) {
  return ops::ones(shape, dtype);
}

void register_ones(Catalog& c) {
  c.add<OnesInitializer>("keras.initializers.Ones");
  c.add_alias("keras.initializers", "one", "Ones");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::OnesInitializer, initializers::OnesConfig, Initializer>;
}
