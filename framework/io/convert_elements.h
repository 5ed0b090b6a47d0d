// Conversion of arrays between element types, for values that come from files.
#pragma once
#include <cstddef>

#include "../../backend/dtype.h"

namespace cornu::io {

/// Converts `count` elements at `from` to `to`. Floats go to integers by truncation, clamped to the
/// range, NaN to 0; everything but zero is true; 16-bit floats round to nearest even. The arrays
/// may not overlap and need no alignment. Throws UnsupportedError between complex and real numbers.
void convert_elements(const void* from, DType from_dtype, void* to, DType to_dtype, size_t count);

/// Reverses the bytes of each of the `count` elements of `size` bytes.
void swap_bytes(void* elements, size_t size, size_t count);

}  // namespace cornu::io
