// Convolutions of few channels, such as those of pictures, whose results are pooled.
#pragma once
#include <memory>

#include "kernels.h"

namespace cornu::backend::cpu {

/// The first layers of many networks: a float32 convolution of up to 4 channels in two dimensions
/// whose results, in channel blocks as wide as a vector, are pooled by windows of 2x2. Results are
/// pooled while they are in registers. Null for other kernels.
std::unique_ptr<Executable> prepare_thin_pooled(const Conv& kernel, Operands inputs,
                                                Operands outputs);

}  // namespace cornu::backend::cpu
