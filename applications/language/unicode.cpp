// Look-ups in the tables of Unicode.
#include "unicode.h"

#include <algorithm>
#include <iterator>

#include "../../framework/io/utf8.h"

namespace cornu::tokenizers::unicode {
namespace {

struct CodeRange {
  char32_t first, last;
};
struct LowerRun {
  char32_t first, last, step;
  int32_t delta;
};
struct CodeMapping {
  char32_t from, to[3] = {};  // fewer than three end with 0
};

#include "accent_table.inc"
#include "unicode_tables.inc"

// The range, run or mapping whose first character is the last one not above c; null: none.
template <class Row, size_t n>
const Row* find_row(const Row (&rows)[n], char32_t c, char32_t Row::*first) {
  const Row* above = std::upper_bound(std::begin(rows), std::end(rows), c,
                                      [&](char32_t c, const Row& row) { return c < row.*first; });
  return above == rows ? nullptr : above - 1;
}

template <size_t n>
bool is_in(const CodeRange (&ranges)[n], char32_t c) {
  const CodeRange* range = find_row(ranges, c, &CodeRange::first);
  return range && c <= range->last;
}

// Syllables of Hangul are numbered by their two or three letters (The Unicode Standard, 3.12).
void append_hangul(std::vector<char32_t>& out, char32_t c) {
  const char32_t place = c - 0xAC00;
  out.push_back(0x1100 + place / 588);
  out.push_back(0x1161 + place % 588 / 28);
  if (place % 28 != 0) out.push_back(0x11A7 + place % 28);
}

}  // namespace

std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto c = io::first_character(text);
    result.push_back(c ? c->code : 0xFFFD);
    text.remove_prefix(c ? c->length : 1);
  }
  return result;
}

void append(std::string& text, char32_t c) {
  auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  auto add_rest = [&](int shift) { add(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | c >> 6);
    add_rest(0);
  } else if (c < 0x10000) {
    add(0xE0 | c >> 12);
    add_rest(6);
    add_rest(0);
  } else {
    add(0xF0 | c >> 18);
    add_rest(12);
    add_rest(6);
    add_rest(0);
  }
}

bool is_letter(char32_t c) {
  if (c < 0x80) return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
  return is_in(letter_ranges, c);
}

bool is_number(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  return is_in(number_ranges, c);
}

bool is_whitespace(char32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_punctuation(char32_t c) {
  if (c < 0x80) return c > ' ' && c < 0x7F && !is_letter(c) && !is_number(c);
  return is_in(punctuation_ranges, c);
}

bool is_control(char32_t c) { return is_in(control_ranges, c); }

bool is_chinese(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

std::vector<char32_t> lower(const std::vector<char32_t>& text) {
  std::vector<char32_t> result;
  result.reserve(text.size());
  for (const char32_t c : text) {
    const LowerRun* run = find_row(lower_runs, c, &LowerRun::first);
    const bool changes = run && c <= run->last && (c - run->first) % run->step == 0;
    result.push_back(changes ? static_cast<char32_t>(static_cast<int32_t>(c) + run->delta) : c);
    // The one capital whose small letter is two characters: an i and the dot above it.
    if (c == 0x130) {
      result.back() = 'i';
      result.push_back(0x307);
    }
  }
  return result;
}

std::vector<char32_t> without_accents(const std::vector<char32_t>& text) {
  std::vector<char32_t> result;
  result.reserve(text.size());
  for (const char32_t c : text) {
    if (c >= 0xAC00 && c < 0xD7A4) {
      append_hangul(result, c);
      continue;
    }
    const CodeMapping* mapping = find_row(accent_mappings, c, &CodeMapping::from);
    if (!mapping || mapping->from != c) {
      result.push_back(c);
      continue;
    }
    std::copy_if(std::begin(mapping->to), std::end(mapping->to), std::back_inserter(result),
                 [](char32_t part) { return part != 0; });
  }
  return result;
}

}  // namespace cornu::tokenizers::unicode
