// Graphs made anew from the calls of others: models that begin inside of another, and clones.
#pragma once
#include <functional>

#include "../dispatch/node.h"

namespace cornu {

/// Puts an Input in the place of each of `inputs` that is not one, and makes the calls between
/// these and `outputs` anew, of the same operations. Without such inputs nothing changes.
void cut_graph(Nest& inputs, Nest& outputs);

class Layer;

/// What calls a layer of a graph that is made again, on symbolic arguments. A mask that an input
/// carries is not among them.
using LayerCall =
    std::function<Nest(const std::shared_ptr<Layer>& layer, const Arguments& arguments)>;

/// What takes the place of `outputs` when the calls between `inputs` and these are made again from
/// `begin` on, which has as many tensors, of the operations that `other` gives for the old ones;
/// layers by `call` if there is one. Throws StateError when a call gives another number of tensors
/// than before.
Nest repeat_graph(
    const Nest& inputs, const Nest& begin, const Nest& outputs,
    const std::function<std::shared_ptr<Operation>(const std::shared_ptr<Operation>&)>& other,
    const LayerCall& call = {});

}  // namespace cornu
