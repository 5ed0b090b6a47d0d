// Models that begin inside of another model's graph.
#pragma once
#include "../tensor/nest.h"

namespace cornu {

/// Puts an Input in the place of each of `inputs` that is not one, and makes the calls between
/// these and `outputs` anew, of the same operations. Without such inputs nothing changes.
void cut_graph(Nest& inputs, Nest& outputs);

}  // namespace cornu
