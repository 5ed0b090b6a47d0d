// Standardizing and splitting texts.
#include "text_rules.h"

#include <algorithm>

#include "../tabular/encoding.h"

namespace cornu::layers {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// Bytes of the character that a text begins with; 0 when its first byte begins none. `taken` are
// the bytes that one replacement stands for then.
size_t character_length(std::string_view s, size_t& taken) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = byte(0);
  taken = 1;
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (i >= s.size()) return 0;
    unsigned char low = 0x80, high = 0xBF;
    if (i == 1 && first == 0xE0) low = 0xA0;   // not longer than needed
    if (i == 1 && first == 0xED) high = 0x9F;  // no surrogates
    if (i == 1 && first == 0xF0) low = 0x90;
    if (i == 1 && first == 0xF4) high = 0x8F;  // up to U+10FFFF
    if (byte(i) < low || byte(i) > high) return 0;
    ++taken;
  }
  return length;
}

std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    size_t taken = 1;
    const size_t length = character_length(text, taken);
    result.emplace_back(length > 0 ? text.substr(0, length) : replacement);
    text.remove_prefix(length > 0 ? length : taken);
  }
  return result;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (auto at = text.begin(); at != text.end();) {
    const auto first = std::find_if_not(at, text.end(), is_blank);
    at = std::find_if(first, text.end(), is_blank);
    if (first != at) result.emplace_back(first, at);
  }
  return result;
}

}  // namespace

void check_text_rules(const TextStandardize& standardize, const TextSplit& split) {
  if (!standardize.name().empty())
    check_one_of("standardize", standardize.name(),
                 {"lower_and_strip_punctuation", "lower", "strip_punctuation"});
  if (!split.name().empty()) check_one_of("split", split.name(), {"whitespace", "character"});
}

std::string standardized(const std::string& text, const TextStandardize& rule) {
  if (rule.function()) return rule.function()(text);
  std::string result = text;
  if (rule.name() == "lower" || rule.name() == "lower_and_strip_punctuation")
    for (char& c : result)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (rule.name() == "strip_punctuation" || rule.name() == "lower_and_strip_punctuation")
    std::erase_if(result, is_punctuation);
  return result;
}

std::vector<std::string> split_text(const std::string& text, const TextSplit& rule) {
  if (rule.function()) return rule.function()(text);
  if (rule.none()) return {text};
  return rule.name() == "character" ? characters(text) : words(text);
}

std::vector<std::string> ngrams_of(const std::vector<std::string>& words,
                                   const std::vector<int64_t>& widths) {
  std::vector<std::string> result;
  for (const int64_t width : widths)
    for (size_t i = 0; i + static_cast<size_t>(width) <= words.size(); ++i) {
      std::string joined = words[i];
      for (size_t k = 1; k < static_cast<size_t>(width); ++k) joined += " " + words[i + k];
      result.push_back(std::move(joined));
    }
  return result;
}

}  // namespace cornu::layers
