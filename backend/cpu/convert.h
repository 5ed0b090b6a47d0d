// Converts arrays between element types, for kernels that compute in another type than they store.
#pragma once
#include <cstdint>

#include "../dtype.h"

namespace cornu::backend::cpu {

/// The type in which a product of operands is computed: float64 when one of them is, float32 for
/// other floats, and for integers uint32 or, for outputs of 64 bits, uint64 (which wrap as signed
/// ones do).
DType compute_type(DType first, DType second, DType out);

/// Converts `count` elements, on several threads when there are many. One of the types is a compute
/// type (float32, float64, uint32, uint64); integers keep their sign and wrap around, 16-bit floats
/// round to nearest even, and a boolean is whether the value is not zero.
void convert(const void* from, DType from_type, void* to, DType to_type, int64_t count);

}  // namespace cornu::backend::cpu
