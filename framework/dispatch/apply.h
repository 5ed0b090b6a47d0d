// Dispatch: every operation comes through here; it computes, and lets the recorders see.
#pragma once
#include "../tensor/recorder.h"

namespace cornu {

/// Runs a kernel and returns its outputs. When an input has no value, only the outputs' specs are
/// made. The caller has checked that the inputs fit the kernel.
Tensors apply(const backend::Kernel& kernel, std::span<const Tensor> inputs,
              std::span<const TensorSpec> outputs);

/// The same for a kernel with one output.
Tensor apply(const backend::Kernel& kernel, std::span<const Tensor> inputs,
             const TensorSpec& output);
/// The same for inputs in braces.
Tensor apply(const backend::Kernel& kernel, std::initializer_list<Tensor> inputs,
             const TensorSpec& output);

/// The elements of x under another shape of equal size; shares memory.
Tensor apply_reshape(const Tensor& x, const Shape& shape);

/// Calls `f` on the inputs, now and in each replay, and returns the outputs that it filled. It has
/// no gradient. `text` tells one such function from another. What `f` gets lies in the host's
/// memory: copies of what is on a device.
Tensors apply_host(const HostFunction& f, std::span<const Tensor> inputs,
                   std::span<const TensorSpec> outputs, const std::string& text = {});

/// The same for an `f` that runs operations or plans: it gets the tensors where they are.
Tensors apply_steps(const HostFunction& f, std::span<const Tensor> inputs,
                    std::span<const TensorSpec> outputs, const std::string& text = {});

}  // namespace cornu
