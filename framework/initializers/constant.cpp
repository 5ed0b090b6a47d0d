// Constant.
#include "constant.h"

#include "../ops/numpy/creation.h"

namespace cornu::initializers {

Tensor ConstantInitializer::operator()(const Shape& shape, DType dtype) {
  if (config.value.is_whole())
    return ops::full(shape, Tensor(static_cast<int64_t>(config.value)), dtype);
  return ops::full(shape, Tensor(static_cast<double>(config.value)), dtype);
}

void register_constant(Catalog& c) { c.add<ConstantInitializer>("keras.initializers.Constant"); }

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::ConstantInitializer, initializers::ConstantConfig,
                          Initializer>;
}
