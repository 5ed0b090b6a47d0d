// Winograd's algorithm for 3x3 convolutions.
#pragma once
#include <memory>

#include "onednn.h"

namespace cornu::backend::cpu {

/// A pass that is faster by Winograd's algorithm than by direct code; null for all others. Data
/// with channels last is brought into blocks and back. F(4x4, 3x3): 36 instead of 144
/// multiplications for a tile of 4x4 results. Numbers differ from direct code's by rounding, about
/// 3e-6 of the results' spread for 64 channels and at most 2e-5 for 512. S. Winograd, "Arithmetic
/// complexity of computations", 1980; A. Lavin, S. Gray, arXiv:1509.09308.
std::unique_ptr<PreparedConv> prepare_winograd(const ConvSizes& sizes);

/// The backward pass over the weights (winograd_weights.cpp) for sizes that fit the algorithm.
std::unique_ptr<PreparedConv> prepare_winograd_weights(const ConvSizes& sizes);

}  // namespace cornu::backend::cpu
