// JSON text to and from values, as Python's json module writes it.
#pragma once
#include <string>

#include "../graph/value.h"

namespace cornu::saving {

/// One line in Python's format: separators ", " and ": ", ASCII only, shortest floats, NaN and Infinity.
/// Tensors, slices and ellipses become their Keras objects. Throws StateError for a symbolic tensor.
std::string to_json(const Value& value);

/// The value of a JSON text. Throws FileError that names `source` and the place, also for texts nested more than
/// 1,000 levels deep and for NaN and Infinity, which no option may be. Integers that do not fit 64 bits become floats.
Value parse_json(const std::string& text, const std::string& source);

}  // namespace cornu::saving
