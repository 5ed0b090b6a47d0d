// TruncatedNormal.
#include "truncated_normal.h"

#include "../ops/random/draws.h"

namespace cornu::initializers {

TruncatedNormalInitializer::TruncatedNormalInitializer(TruncatedNormalConfig c)
    : Configured(std::move(c)) {
  set_seed(config.seed);
}

Tensor TruncatedNormalInitializer::operator()(const Shape& shape, DType dtype) {
  return random::truncated_normal(shape, config.mean, config.stddev, draw_seed(), dtype);
}

Value::Dict TruncatedNormalInitializer::get_config() const { return seed_first(to_dict(config)); }

void register_truncated_normal(Catalog& c) {
  c.add<TruncatedNormalInitializer>("keras.initializers.TruncatedNormal");
}

}  // namespace cornu::initializers

namespace cornu {
template class Configured<initializers::TruncatedNormalInitializer,
                          initializers::TruncatedNormalConfig, initializers::RandomInitializer>;
}
