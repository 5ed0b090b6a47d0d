// Tensors as arrays of NumPy's files, and back.
#pragma once
#include <filesystem>
#include <string>

#include "../tensor/tensor.h"
#include "npy.h"

namespace cornu::io {

/// The values of a tensor, wherever they are; strings stay strings.
NpyArray array_of(const std::string& name, const Tensor& tensor);
/// A tensor on the host of an array's values.
Tensor tensor_of(const NpyArray& array);

}  // namespace cornu::io

namespace cornu {

/// The array of a .npy file as a tensor on the host. Throws FileError for a missing or damaged
/// file, and for dtypes that tensors have not.
Tensor load_npy(const std::filesystem::path& path);
/// Writes the values of a tensor as a .npy file, which NumPy reads; an old file stays until the new
/// one is whole. Throws FileError.
void save_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace cornu
