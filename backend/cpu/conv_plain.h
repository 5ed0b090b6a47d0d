// Convolutions by plain loops: for all types, and for what has no fast code.
#pragma once
#include "../dtype.h"
#include "onednn.h"

namespace cornu::backend::cpu {

/// Runs a pass of a convolution in the type float32, float64, uint32 or uint64 (of all other
/// integers; sums wrap around alike). `bias` is null without one.
void plain_conv(DType type, const ConvSizes& sizes, const void* first, const void* second,
                const void* bias, void* out);

}  // namespace cornu::backend::cpu
