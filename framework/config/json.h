// JSON text to and from values, as Python's json module writes it.
#pragma once
#include <cstdint>
#include <string>

#include "../dispatch/value.h"

namespace cornu {

/// One line in Python's format: separators ", " and ": ", ASCII only, shortest floats, NaN and
/// Infinity. Tensors, slices and ellipses become their Keras objects. Throws StateError for a
/// symbolic tensor.
std::string to_json(const Value& value);

/// The same over several lines, each level `indent` blanks further in.
std::string to_json(const Value& value, int indent);

/// Whether NaN, Infinity and -Infinity, which Python writes and JSON does not have, may stand
/// there.
enum class NonNumbers : uint8_t { refuse, allow };

/// The value of a JSON text. Throws FileError that names `source` and the place, also for texts
/// nested more than 1,000 levels deep, of more than 4 million values, or with a key twice in one
/// object. Integers that do not fit 64 bits become floats.
Value parse_json(const std::string& text, const std::string& source,
                 NonNumbers non_numbers = NonNumbers::refuse);

}  // namespace cornu
