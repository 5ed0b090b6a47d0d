// Copying between tensors and arrays of NumPy's files.
#include "npy_tensor.h"

#include <cstring>

namespace cornu::saving {

NpyArray array_of(const std::string& name, const Tensor& tensor) {
  if (tensor.dtype() == DType::string)
    return {name, tensor.dtype(), tensor.shape(), {}, tensor.to_strings()};
  NpyArray array{name, tensor.dtype(), tensor.shape(), std::vector<std::byte>(tensor.bytes())};
  std::memcpy(array.data.data(), tensor.host_data(), array.data.size());
  return array;
}

Tensor tensor_of(const NpyArray& array) {
  if (array.dtype == DType::string) return Tensor::strings(array.strings, array.shape);
  return Tensor::copy_of(array.data.data(), array.shape, array.dtype);
}

}  // namespace cornu::saving
