// GlorotNormal.
#include "glorot_normal.h"

namespace cornu::initializers {

GlorotNormalInitializer::GlorotNormalInitializer(GlorotNormalConfig c) : Configured(std::move(c)) {
  set({1.0, "fan_avg", "truncated_normal", config.seed, config.input_axes, config.output_axes});
}

void register_glorot_normal(Catalog& c) {
  c.add<GlorotNormalInitializer>("keras.initializers.GlorotNormal");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::GlorotNormalInitializer, initializers::GlorotNormalConfig,
                          initializers::VarianceDraw>;
}
