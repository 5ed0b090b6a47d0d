// GlorotUniform.
#include "glorot_uniform.h"

namespace cornu::initializers {

GlorotUniformInitializer::GlorotUniformInitializer(GlorotUniformConfig c)
    : Configured(std::move(c)) {
  set({1.0, "fan_avg", "uniform", config.seed, config.input_axes, config.output_axes});
}

void register_glorot_uniform(Catalog& c) {
  c.add<GlorotUniformInitializer>("keras.initializers.GlorotUniform");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::GlorotUniformInitializer, initializers::GlorotUniformConfig,
                          initializers::VarianceDraw>;
}
