// LecunNormal.
#include "lecun_normal.h"

namespace cornu::initializers {

LecunNormalInitializer::LecunNormalInitializer(LecunNormalConfig c) : Configured(std::move(c)) {
  set({1.0, "fan_in", "truncated_normal", config.seed, config.input_axes, config.output_axes});
}

void register_lecun_normal(Catalog& c) {
  c.add<LecunNormalInitializer>("keras.initializers.LecunNormal");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::LecunNormalInitializer, initializers::LecunNormalConfig,
                          initializers::VarianceDraw>;
}
