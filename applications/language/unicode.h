// Characters as tokenizers see them: kinds, small letters, letters without accents.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cornu::tokenizers::unicode {

/// The characters of UTF-8, by their numbers. Bytes that are no character become U+FFFD.
std::vector<char32_t> characters(std::string_view text);
/// Writes a character as UTF-8 behind `text`.
void append(std::string& text, char32_t c);

bool is_letter(char32_t c);       ///< of the categories L*
bool is_number(char32_t c);       ///< of the categories N*
bool is_whitespace(char32_t c);   ///< with the property White_Space
bool is_punctuation(char32_t c);  ///< of the categories P*, and ASCII's symbols such as "$"
bool is_control(char32_t c);      ///< of the categories Cc, Cf and Co
bool is_chinese(char32_t c);      ///< among the ideographs that BERT takes one by one

/// `text` with small letters for capitals, each by itself.
std::vector<char32_t> lower(const std::vector<char32_t>& text);
/// `text` with letters taken apart from their accents, and without those (categories Mn).
std::vector<char32_t> without_accents(const std::vector<char32_t>& text);

}  // namespace cornu::tokenizers::unicode
