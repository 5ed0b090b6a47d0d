// Signatures of calls: which arguments are alike enough to share a recording.
#pragma once
#include <string>
#include <vector>

#include "../tensor/nest.h"

namespace cornu {

/// The flattened arguments of a call, without an allocation for up to 16.
using TensorPointers = InlineVector<const Tensor*, 16>;

/// The tensors of a nest in the order in which it is written. False when one has no value.
bool collect(const Nest& nest, TensorPointers& tensors);

/// Whether two calls with these arguments may share a recording: equal structure, shapes, dtypes
/// and masks; numbers written in C++ must be equal themselves.
bool same_kind(const Nest& a, const Nest& b);

/// A nest without values that stands for those of its kind.
Nest kind_of(const Nest& nest);

/// "argument 'x' changed from float32 (32, 20) to float32 (16, 20)". `names` are those of the
/// flattened arguments.
std::string kind_difference(const Nest& before, const Nest& now,
                            const std::vector<std::string>& names);

}  // namespace cornu
