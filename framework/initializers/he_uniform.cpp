// HeUniform.
#include "he_uniform.h"

namespace cornu::initializers {

HeUniformInitializer::HeUniformInitializer(HeUniformConfig c) : Configured(std::move(c)) {
  set({2.0, "fan_in", "uniform", config.seed, config.input_axes, config.output_axes});
}

void register_he_uniform(Catalog& c) {
  c.add<HeUniformInitializer>("keras.initializers.HeUniform");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::HeUniformInitializer, initializers::HeUniformConfig,
                          initializers::VarianceDraw>;
}
