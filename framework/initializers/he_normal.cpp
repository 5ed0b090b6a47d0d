// HeNormal.
#include "he_normal.h"

namespace cornu::initializers {

HeNormalInitializer::HeNormalInitializer(HeNormalConfig c) : Configured(std::move(c)) {
  set({2.0, "fan_in", "truncated_normal", config.seed, config.input_axes, config.output_axes});
}

void register_he_normal(Catalog& c) { c.add<HeNormalInitializer>("keras.initializers.HeNormal"); }

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::HeNormalInitializer, initializers::HeNormalConfig,
                          initializers::VarianceDraw>;
}
