// LecunUniform.
#include "lecun_uniform.h"

namespace cornu::initializers {

LecunUniformInitializer::LecunUniformInitializer(LecunUniformConfig c) : Configured(std::move(c)) {
  set({1.0, "fan_in", "uniform", config.seed, config.input_axes, config.output_axes});
}

void register_lecun_uniform(Catalog& c) {
  c.add<LecunUniformInitializer>("keras.initializers.LecunUniform");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::LecunUniformInitializer, initializers::LecunUniformConfig,
                          initializers::VarianceDraw>;
}
