// Rematerialization: results in between are computed again for the gradient instead of being kept.
#pragma once
#include <functional>

#include "../tensor/nest.h"

namespace cornu {

/// `f` with less memory for its gradient: a GradientTape keeps its arguments and the variables that
/// it reads, and runs it once more when the gradient is asked for. Random draws are the same in
/// both runs, and variables that `f` assigns (moving averages) change once. Costs one more forward
/// pass. As keras.remat.
///
///   const Tensor y = remat([&](const Nest& x) { return Nest(block(x.tensor())); })(x).tensor();
std::function<Nest(const Nest&)> remat(std::function<Nest(const Nest&)> f);

}  // namespace cornu
