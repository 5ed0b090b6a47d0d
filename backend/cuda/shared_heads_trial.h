// Whether a library's attention with shared heads gives what it should: a trial on the device.
#pragma once
#include "device.h"

namespace cornu::backend::cuda {

/// Whether `attention` over such operands, for which Services::library has just made an executable
/// and set the path, can be left to the library: its like on small operands has to give what
/// repeated_attention gives. Tried once for each library, engine and form, and kept for later
/// processes; a library that fails is named in a warning. False, without a word, where nothing can
/// be tried now, such as while a graph is captured.
bool shared_heads_are_right(const Attention& attention, std::span<const Operand> inputs,
                            Device& device);

}  // namespace cornu::backend::cuda
