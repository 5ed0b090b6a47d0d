// The text that generated kernels start with.
#pragma once
#include <string>
#include <string_view>

namespace cornu::backend::cuda {

/// Types, conversions between all stored types, and the functions of opcodes.inc on scalars, in
/// namespace cornu_device. It needs no header when NVRTC compiles it. On a host, text that defines
/// CORNU_HOST, includes <math.h> and gives threadIdx, blockIdx, blockDim and gridDim goes before
/// it.
std::string_view prelude();

/// The start of the one kernel of a text, which has an Arguments; its name and the body follow. All
/// kernels begin with it: see Device::launch.
std::string kernel_head();

/// Its last part: mathematical functions, and how reductions combine values.
std::string_view functions_prelude();

/// What the kernels of random draws need on top of it.
std::string_view random_prelude();

}  // namespace cornu::backend::cuda
