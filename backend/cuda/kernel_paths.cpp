// Runs a kernel of each kind, and tells who ran it.
#include <cstring>

#include "../error.h"
#include "cuda_backend.h"
#include "sample_kernels.h"

namespace cornu::backend::cuda {
namespace {

// Identity matrices of float32 where a decomposition wants matrices, else zeros.
std::vector<char> values_of(const Kernel& kernel, const SampleKernel::Array& array) {
  std::vector<char> values(static_cast<size_t>(array.shape.numel()) * size_of(array.dtype));
  if (!std::holds_alternative<Linalg>(kernel) || array.dtype != DType::float32) return values;
  const int64_t n = array.shape.back();
  const float one = 1;
  for (int64_t row = 0; row < array.shape.numel() / n; ++row)
    std::memcpy(values.data() + (row * n + row % n) * sizeof one, &one, sizeof one);
  return values;
}

// Memory of a sample's operands.
class Operands {
 public:
  explicit Operands(CudaBackend& backend) : backend_(backend) {}
  Operands(const Operands&) = delete;
  ~Operands() {
    for (const auto& [data, bytes] : blocks_) backend_.allocator().deallocate(data, bytes);
  }
  std::vector<Operand> take(const Kernel& kernel, const std::vector<SampleKernel::Array>& arrays) {
    std::vector<Operand> operands;
    for (const SampleKernel::Array& array : arrays) {
      const std::vector<char> values = values_of(kernel, array);
      void* const data = backend_.allocator().allocate(values.size());
      blocks_.emplace_back(data, values.size());
      backend_.copy_from_host(data, values.data(), values.size());
      operands.push_back({&array.shape, array.dtype, data});
    }
    return operands;
  }

 private:
  CudaBackend& backend_;
  std::vector<std::pair<void*, size_t>> blocks_;
};

}  // namespace

std::vector<KernelPath> CudaBackend::kernel_paths() {
  std::vector<KernelPath> paths;
  for (const SampleKernel& sample : sample_kernels()) {
    KernelPath& path = paths.emplace_back();
    path.kernel = sample.name;
    try {
      Operands operands(*this);
      const std::vector<Operand> in = operands.take(sample.kernel, sample.inputs),
                                 out = operands.take(sample.kernel, sample.outputs);
      std::vector<void*> data;
      for (const auto& list : {in, out})
        for (const Operand& operand : list) data.push_back(operand.data);
      std::unique_ptr<Executable> kernel;
      {
        const Session session(device());
        device().set_path("no kernel");
        kernel = prepare(sample.kernel, in, out);
        path.path = device().path();
      }
      kernel->run(data.data());
      synchronize();
    } catch (const Error& e) {
      path.error = e.what();
    }
  }
  return paths;
}

}  // namespace cornu::backend::cuda
