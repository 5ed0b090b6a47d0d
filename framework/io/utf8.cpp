// Reading of UTF-8, as RFC 3629 has it.
#include "utf8.h"

namespace cornu::io {

std::optional<Utf8Character> first_character(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  const uint32_t first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  if (length == 0 || length > text.size()) return std::nullopt;
  uint32_t code = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(k) & 0x3F);
  }
  const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
    return std::nullopt;
  return Utf8Character{code, length};
}

}  // namespace cornu::io
