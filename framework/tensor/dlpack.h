// Tensors to and from other libraries without a copy, by DLPack (dmlc.github.io/dlpack).
#pragma once
#include "tensor.h"

struct DLManagedTensor;

namespace cornu {

/// A tensor in the memory of another library, such as one of PyTorch (`at::toDLPack`), ONNX Runtime
/// or JAX. Takes `managed` over: its deleter is called when nobody uses the tensor any more, or
/// before this returns or throws. The values must not change meanwhile. They are copied when they
/// are not dense and row-major, or not aligned to 64 bytes. Throws ValueError for null,
/// UnsupportedError for a device or type of elements that Cornu does not have.
Tensor from_dlpack(DLManagedTensor* managed);

/// The tensor for another library, which calls the deleter when it is done; until then the memory
/// stays. It must not be written to. Waits for the device. Throws ValueError for a tensor without
/// values, UnsupportedError for strings and 8-bit floats.
DLManagedTensor* to_dlpack(const Tensor& x);

}  // namespace cornu
