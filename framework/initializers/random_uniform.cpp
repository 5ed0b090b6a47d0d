// RandomUniform.
#include "random_uniform.h"

#include "../ops/random/draws.h"

namespace cornu::initializers {

RandomUniformInitializer::RandomUniformInitializer(RandomUniformConfig c)
    : Configured(std::move(c)) {
  set_seed(config.seed);
}

Tensor RandomUniformInitializer::operator()(const Shape& shape, DType dtype) {
  return random::uniform(shape, config.minval, config.maxval, draw_seed(), dtype);
}

Value::Dict RandomUniformInitializer::get_config() const { return seed_first(to_dict(config)); }

void register_random_uniform(Catalog& c) {
  c.add<RandomUniformInitializer>("keras.initializers.RandomUniform");
  c.add_alias("keras.initializers", "uniform", "RandomUniform");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::RandomUniformInitializer, initializers::RandomUniformConfig,
                          initializers::RandomInitializer>;
}
