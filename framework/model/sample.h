// Inputs that stand for a sample of what a model is called on.
#pragma once
#include "model.h"

namespace cornu {

/// Stand-ins (abstract tensors) for one sample of the inputs that the model was made or built for;
/// axes of unknown size other than the batch's have `unknown` elements. Where a model was built on
/// data, its dtype is not known: floats. Empty for a model of which nothing is known.
Nest sample_spec(const Model& model, int64_t unknown = 1);

}  // namespace cornu
