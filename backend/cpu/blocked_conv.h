// Convolutions of data with channels last by code for channel blocks.
#pragma once
#include <memory>

#include "onednn.h"

namespace cornu::backend::cpu {

/// The convolution of `sizes`, channels last, by `conv` for blocks of `block` channels: data is
/// brought into blocks before it, and the result of a pass over data out of them.
std::unique_ptr<PreparedConv> with_channels_last(const ConvSizes& sizes, int64_t block,
                                                 std::unique_ptr<PreparedConv> conv);

}  // namespace cornu::backend::cpu
