// Cutting tensors into pieces whose gradients are joined again in one pass.
#pragma once
#include <vector>

#include "../../framework/tensor/tensor.h"

namespace cornu::layers {

/// The steps of x (batch, steps, ...) as tensors (batch, ...). The gradient is one join of the
/// steps' gradients, whatever their number.
std::vector<Tensor> steps_of(const Tensor& x);
/// `count` equal sections of the last axis of x, with the same kind of gradient.
std::vector<Tensor> sections_of(const Tensor& x, int64_t count);

}  // namespace cornu::layers
