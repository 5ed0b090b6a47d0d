// UTF-8: one character after the other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cornu::io {

/// A character of a text.
struct Utf8Character {
  uint32_t code = 0;  ///< its number in Unicode
  size_t length = 0;  ///< of its bytes
};

/// The character that a text begins with; nothing at its end, and where its bytes are none: one of
/// several bytes that is cut, longer than it has to be, a surrogate, or above U+10FFFF.
std::optional<Utf8Character> first_character(std::string_view text);

}  // namespace cornu::io
