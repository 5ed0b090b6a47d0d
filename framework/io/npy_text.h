// Strings of a fixed width, as NumPy's files hold them.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cornu::io {

/// How strings lie in a file: NumPy's kinds U and S.
struct TextForm {
  size_t width = 0;         ///< characters of a string
  bool unicode = true;      ///< a character has 4 bytes, else one
  bool big_endian = false;  ///< of those 4

  std::string descr() const {
    return (unicode ? "<U" : "|S") + std::to_string(width);
  }  ///< as in an .npy header
};

/// The strings in `data` as UTF-8, without the zeros that fill them up. What is no character
/// becomes U+FFFD.
std::vector<std::string> strings_of(std::span<const std::byte> data, const TextForm& form);

/// The bytes of strings, little-endian, and in `form` how they lie: as U, or as S where one of them
/// is no UTF-8.
std::vector<std::byte> pack_strings(const std::vector<std::string>& strings, TextForm& form);

}  // namespace cornu::io
