// Factors of channels, and samples that are left out.
#include "convnext.h"

#include <fmt/core.h>

#include "../framework/initializers/constant.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/operators.h"
#include "../framework/ops/random/draws.h"
#include "../framework/ops/random/seed.h"

namespace cornu::layers {

void LayerScaleLayer::build(const Shape&) {
  gamma = add_weight({.name = "gamma",
                      .shape = {*config.projection_dim},
                      .initializer = initializers::Constant({.value = *config.init_values})});
}

Tensor LayerScaleLayer::call(const Tensor& x, const Call&) { return x * gamma; }

StochasticDepthLayer::StochasticDepthLayer(StochasticDepthConfig c) : LayerOf(std::move(c)) {
  if (!(config.drop_path_rate >= 0 && config.drop_path_rate <= 1))
    throw ValueError(fmt::format("option 'drop_path_rate' must be in [0, 1], found {}.",
                                 *config.drop_path_rate));
  seeds_ = &add_seed_generator({});
}

Tensor StochasticDepthLayer::call(const Tensor& x, const Call& call) {
  if (!call.is_training()) return x;
  const double keep = 1 - config.drop_path_rate;
  Shape samples = {x.shape()[0]};
  for (int i = 1; i < x.rank(); ++i) samples.push_back(1);
  return x / Tensor(keep) *
         ops::floor(Tensor(keep) + random::uniform(samples, 0, 1, Seed(*seeds_)));
}

// Keras has no public names for these.
void register_convnext(Catalog& c) {
  c.add<LayerScaleLayer>("keras.src.applications.convnext.LayerScale");
  c.add<StochasticDepthLayer>("keras.src.applications.convnext.StochasticDepth");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LayerScaleLayer, cornu::layers::LayerScaleConfig>;
template class cornu::LayerOf<cornu::layers::StochasticDepthLayer,
                              cornu::layers::StochasticDepthConfig>;
