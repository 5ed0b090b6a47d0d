// Copying between tensors and arrays of NumPy's files.
#include "npy_tensor.h"

#include <cstring>

namespace cornu::io {

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

}  // namespace cornu::io

namespace cornu {

Tensor load_npy(const std::filesystem::path& path) { return io::tensor_of(io::read_npy(path)); }

void save_npy(const std::filesystem::path& path, const Tensor& tensor) {
  io::write_npy(path, io::array_of("", tensor));
}

}  // namespace cornu
