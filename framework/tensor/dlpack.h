// Tensors to and from other libraries without a copy, by DLPack (dmlc.github.io/dlpack).
#pragma once
#include "tensor.h"

struct DLManagedTensor;

namespace cornu {

/// A tensor in the memory of another library, such as one of PyTorch (`at::toDLPack`), ONNX Runtime
/// or JAX. Takes `managed` over: its deleter is called when nobody uses the tensor any more, or
/// before this returns or throws. The values must not change meanwhile. They are copied when they
/// are not dense and row-major, or not aligned to 64 bytes. On a GPU what computes the values must
/// have run, and the deleter is called when the device has read them, for which the host waits.
/// Throws ValueError for null, UnsupportedError for a device or type of elements that Cornu does
/// not have.
Tensor from_dlpack(DLManagedTensor* managed);

/// The same from a library that works on the CUDA stream `stream` (a cudaStream_t or CUstream;
/// null: the default stream), without waits of the host: Cornu's device waits for what was put
/// there before, and before the deleter is called the stream for what Cornu does with the tensor.
/// The stream has to live until then. On the CPU it means nothing. Throws also what wait_for_stream
/// throws.
Tensor from_dlpack(DLManagedTensor* managed, void* stream);

/// The tensor for another library, which calls the deleter when it is done; until then the memory
/// stays. It must not be written to. Waits for the device. Throws ValueError for a tensor without
/// values, UnsupportedError for strings and 8-bit floats.
DLManagedTensor* to_dlpack(const Tensor& x);

/// The same for a library that works on the CUDA stream `stream`, as the consumer names it in
/// Python's `__dlpack__(stream=...)`, whose numbers 1 and 2 are such handles (null: the default
/// stream). The host does not wait: the stream waits for Cornu's device, and when the deleter is
/// called the device for what was put on the stream until then, before it uses the memory again.
/// The stream has to live until then. Throws also what let_stream_wait throws.
DLManagedTensor* to_dlpack(const Tensor& x, void* stream);

}  // namespace cornu
