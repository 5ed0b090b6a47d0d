// Tensors as arrays of NumPy's files, and back.
#pragma once
#include <string>

#include "../tensor/tensor.h"
#include "npy.h"

namespace cornu::saving {

/// The values of a tensor, wherever they are; strings stay strings.
NpyArray array_of(const std::string& name, const Tensor& tensor);
/// A tensor on the host of an array's values.
Tensor tensor_of(const NpyArray& array);

}  // namespace cornu::saving
