// LossScaleOptimizer's name.
#include "loss_scale_optimizer.h"

namespace cornu::optimizers {

void register_loss_scale_optimizer(Catalog& c) {
  c.add<LossScaling>("keras.optimizers.LossScaleOptimizer");
  c.add_alias("keras.optimizers", "lossscaleoptimizer", "LossScaleOptimizer");
}

}  // namespace cornu::optimizers
