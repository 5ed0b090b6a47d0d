// UTF-8 to and from NumPy's strings.
#include "npy_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "utf8.h"

namespace cornu::io {
namespace {

// A character as UTF-8. What is none becomes U+FFFD.
void append_utf8(std::string& text, uint32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  const auto put = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto rest = [&](int shift) { put(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | (c >> 6));
    return rest(0);
  }
  if (c < 0x10000) {
    put(0xE0 | (c >> 12));
  } else {
    put(0xF0 | (c >> 18));
    rest(12);
  }
  rest(6);
  rest(0);
}

// The characters of a UTF-8 text; nothing when it is none.
std::optional<std::vector<uint32_t>> characters(const std::string& text) {
  std::vector<uint32_t> result;
  for (std::string_view rest = text; !rest.empty();) {
    const std::optional<Utf8Character> c = first_character(rest);
    if (!c) return std::nullopt;
    result.push_back(c->code);
    rest.remove_prefix(c->length);
  }
  return result;
}

}  // namespace

std::vector<std::string> strings_of(std::span<const std::byte> data, const TextForm& form) {
  std::vector<std::string> strings;
  const size_t element = form.width * (form.unicode ? 4 : 1);
  for (size_t at = 0; at + element <= data.size(); at += element) {
    std::string text;
    size_t used = 0;  // without the zeros at the end
    for (size_t i = 0; i < form.width; ++i) {
      if (form.unicode) {
        uint32_t c = 0;
        for (size_t k = 0; k < 4; ++k)
          c |= std::to_integer<uint32_t>(data[at + 4 * i + k])
               << (8 * (form.big_endian ? 3 - k : k));
        append_utf8(text, c);
        if (c != 0) used = text.size();
      } else {
        text.push_back(static_cast<char>(data[at + i]));
        if (text.back() != 0) used = text.size();
      }
    }
    text.resize(used);
    strings.push_back(std::move(text));
  }
  return strings;
}

std::vector<std::byte> pack_strings(const std::vector<std::string>& strings, TextForm& form) {
  std::vector<std::vector<uint32_t>> texts;
  form = {.width = 1};  // NumPy has no strings of width 0
  for (const std::string& s : strings) {
    auto text = characters(s);
    if (!text) {
      form = {.width = 1, .unicode = false};
      break;
    }
    form.width = std::max(form.width, text->size());
    texts.push_back(std::move(*text));
  }
  if (!form.unicode)
    for (const std::string& s : strings) form.width = std::max(form.width, s.size());
  const size_t element = form.width * (form.unicode ? 4 : 1);
  std::vector<std::byte> data(strings.size() * element);
  for (size_t i = 0; i < strings.size(); ++i) {
    std::byte* to = data.data() + i * element;
    if (!form.unicode) {
      std::memcpy(to, strings[i].data(), strings[i].size());
      continue;
    }
    for (const uint32_t c : texts[i])
      for (int shift = 0; shift < 32; shift += 8) *to++ = static_cast<std::byte>(c >> shift);
  }
  return data;
}

}  // namespace cornu::io
