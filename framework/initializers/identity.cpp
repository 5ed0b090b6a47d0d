// Identity.
#include "identity.h"

#include <fmt/core.h>

#include "../ops/core/cast.h"
#include "../ops/numpy/creation.h"
#include "../ops/operators.h"

namespace cornu::initializers {

Tensor IdentityInitializer::operator()(const Shape& shape, DType dtype) {
  if (shape.rank() != 2)
    throw ShapeError(fmt::format(
        "Identity: a weight of shape {} is not a matrix. Use another initializer.", shape.str()));
  const Tensor eye = ops::eye(shape[0], shape[1], 0, dtype);
  return config.gain == 1 ? eye : ops::cast(eye * Tensor(config.gain), dtype);
}

Value::Dict IdentityInitializer::get_config() const {
  if (config.gain == 1) return {};
  return to_dict(config);
}

void register_identity(Catalog& c) {
  c.add<IdentityInitializer>("keras.initializers.Identity");
  c.add_alias("keras.initializers", "IdentityInitializer", "Identity");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::IdentityInitializer, initializers::IdentityConfig,
                          Initializer>;
}
