// Conversions of tiles between a stored element type and a compute type.
#pragma once
#include <cstdint>

#include "../dtype.h"

namespace cornu::backend::cpu {

/// Converts n dense elements. Integers wrap, floats become integers by truncation (saturating, NaN
/// is 0), 16-bit floats are rounded to nearest even, and a boolean is whether the value is not
/// zero.
using ConvertTile = void (*)(const void* from, void* to, int64_t n);

/// The conversion, for the best instruction set of this machine. One of the types is a compute type
/// (float32, float64, int32, int64, uint64); throws ValueError otherwise.
ConvertTile convert_tile(DType from, DType to);

}  // namespace cornu::backend::cpu
