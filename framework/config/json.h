// JSON text to and from values, as Python's json module writes it.
#pragma once
#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>

#include "../dispatch/value.h"

namespace cornu {

/// One line in Python's format: separators ", " and ": ", ASCII only, shortest floats, NaN and
/// Infinity. Tensors, slices and ellipses become their Keras objects. Throws StateError for a
/// symbolic tensor.
std::string to_json(const Value& value);

/// The same over several lines, each level `indent` blanks further in.
std::string to_json(const Value& value, int indent);

/// Writes a value as that line: `std::cout << layer->get_config()`. A template, since much else
/// converts to a Value.
template <class V>
requires(std::same_as<V, Value> || std::same_as<V, Value::Dict>) std::ostream& operator<<(
    std::ostream& out, const V& value) {
  return out << to_json(value);
}

/// Whether NaN, Infinity and -Infinity, which Python writes and JSON does not have, may stand
/// there.
enum class NonNumbers : uint8_t { refuse, allow };

/// The value of a JSON text. Throws FileError that names `source` and the place, also for texts
/// nested more than 1,000 levels deep, of more than 4 million values, or with a key twice in one
/// object. Integers that do not fit 64 bits become floats.
Value parse_json(const std::string& text, const std::string& source,
                 NonNumbers non_numbers = NonNumbers::refuse);

}  // namespace cornu
