// Making what the user hands over fit what a model expects.
#pragma once
#include <string>
#include <vector>

#include "../tensor/nest.h"

namespace cornu {

/// `x` in the structure, ranks and dtypes of `spec`: dictionaries are matched by name, a missing
/// last axis of size 1 is added. Throws ShapeError naming the input, the expected shape and the
/// found one, ValueError for a dictionary without one of the names. Inputs that are `optional`, in
/// the order of the names, may be empty tensors, or missing in a dictionary.
Nest standardize_inputs(const Nest& x, const Nest& spec, const std::vector<std::string>& names,
                        const std::string& model, const std::vector<bool>& optional = {});

/// Number of samples in the first tensor that there is; 1 for a scalar.
double batch_size_of(const Nest& x);

}  // namespace cornu
