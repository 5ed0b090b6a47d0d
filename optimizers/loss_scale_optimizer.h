// LossScaleOptimizer: another optimizer, with gradients that 16-bit floats can hold.
#pragma once
#include "../framework/base/loss_scaling.h"

namespace cornu::optimizers {

using LossScaleOptimizerConfig = LossScalingConfig;  ///< options of LossScaleOptimizer

/// See cornu::LossScaling.
using LossScaleOptimizer = Ref<LossScaling>;

}  // namespace cornu::optimizers

namespace cornu::mixed_precision {
using optimizers::LossScaleOptimizer;
}
