// RandomNormal.
#include "random_normal.h"

#include "../ops/random/draws.h"

namespace cornu::initializers {

RandomNormalInitializer::RandomNormalInitializer(RandomNormalConfig c) : Configured(std::move(c)) {
  set_seed(config.seed);
}

Tensor RandomNormalInitializer::operator()(const Shape& shape, DType dtype) {
  return random::normal(shape, config.mean, config.stddev, draw_seed(), dtype);
}

Value::Dict RandomNormalInitializer::get_config() const { return seed_first(to_dict(config)); }

void register_random_normal(Catalog& c) {
  c.add<RandomNormalInitializer>("keras.initializers.RandomNormal");
  c.add_alias("keras.initializers", "normal", "RandomNormal");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::RandomNormalInitializer, initializers::RandomNormalConfig,
                          initializers::RandomInitializer>;
}
