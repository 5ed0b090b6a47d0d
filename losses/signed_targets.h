// Targets of the hinge losses: -1 and 1, or 0 and 1.
#pragma once
#include "pairwise_loss.h"

namespace cornu::losses {

/// y_true, or 2 y_true - 1 when all of it is 0 or 1.
Tensor signed_targets(const Tensor& y_true);

}  // namespace cornu::losses
