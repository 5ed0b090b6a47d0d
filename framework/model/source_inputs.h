// get_source_inputs: where a symbolic tensor comes from.
#pragma once
#include <vector>

#include "../tensor/tensor.h"

namespace cornu::utils {

/// The tensors of Input that `tensor` is computed from, each once, in the order in which a walk
/// from it through the arguments of the calls, depth first, meets them. An Input has itself, and so
/// has a tensor that is part of no graph.
std::vector<Tensor> get_source_inputs(const Tensor& tensor);

}  // namespace cornu::utils
