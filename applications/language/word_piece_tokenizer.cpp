// Words by BERT's rules, and the longest tokens that they begin with.
#include "word_piece_tokenizer.h"

#include "special_tokens.h"
#include "unicode.h"

namespace cornu::tokenizers {

WordPieceTokenizer::WordPieceTokenizer(WordPieceTokenizerConfig config)
    : Tokenizer(config.vocabulary, config.sequence_length, config.pad_token_id),
      config_(std::move(config)),
      oov_id_(token_to_id(config_.oov_token)) {
  check_special(config_.special_tokens);
}

std::vector<char32_t> WordPieceTokenizer::normalized(std::string_view text) const {
  std::vector<char32_t> kept;
  for (const char32_t c : unicode::characters(text)) {
    const bool chinese = config_.split_on_cjk && unicode::is_chinese(c);
    if (chinese) kept.push_back(' ');
    if (c == '\t' || c == '\n' || c == '\r')
      kept.push_back(' ');
    else if (c != 0xFFFD && !unicode::is_control(c))
      kept.push_back(unicode::is_whitespace(c) ? ' ' : c);
    if (chinese) kept.push_back(' ');
  }
  if (config_.strip_accents.value_or(config_.lowercase)) kept = unicode::without_accents(kept);
  if (config_.lowercase) kept = unicode::lower(kept);
  return kept;
}

void WordPieceTokenizer::encode_word(const std::vector<char32_t>& word,
                                     std::vector<int64_t>& ids) const {
  if (word.empty()) return;
  if (static_cast<int64_t>(word.size()) > config_.max_input_chars_per_word) {
    ids.push_back(oov_id_);
    return;
  }
  const size_t before = ids.size();
  for (size_t begin = 0; begin < word.size();) {
    std::string piece = begin > 0 ? config_.suffix_indicator : "";
    std::vector<size_t> ends;  // in bytes, behind each character
    for (size_t i = begin; i < word.size(); ++i) {
      unicode::append(piece, word[i]);
      ends.push_back(piece.size());
    }
    const int64_t* id = nullptr;
    for (; !ends.empty() && !id; ends.pop_back()) {
      piece.resize(ends.back());
      id = find(piece);
      if (id) begin += ends.size();
    }
    if (!id) {
      ids.resize(before);
      ids.push_back(oov_id_);
      return;
    }
    ids.push_back(*id);
  }
}

void WordPieceTokenizer::encode_part(std::string_view text, std::vector<int64_t>& ids) const {
  std::vector<char32_t> word;
  auto end_word = [&] {
    encode_word(word, ids);
    word.clear();
  };
  for (const char32_t c : normalized(text)) {
    const bool alone = config_.split && unicode::is_punctuation(c);
    if (alone || (config_.split && unicode::is_whitespace(c))) end_word();
    if (!config_.split || !unicode::is_whitespace(c)) word.push_back(c);
    if (alone) end_word();
  }
  end_word();
}

std::vector<int64_t> WordPieceTokenizer::encode(std::string_view text) const {
  std::vector<int64_t> ids;
  split_at_special_tokens(text, config_.special_tokens, [&](std::string_view part, bool special) {
    if (special)
      ids.push_back(*find(std::string(part)));
    else
      encode_part(part, ids);
  });
  return ids;
}

std::string WordPieceTokenizer::decode(std::span<const int64_t> ids) const {
  std::string text;
  for (const int64_t id : ids) {
    const std::string& token = id_to_token(id);
    const bool goes_on = !config_.suffix_indicator.empty() && !text.empty() &&
                         token.starts_with(config_.suffix_indicator);
    if (!goes_on && !text.empty()) text += ' ';
    text += goes_on ? token.substr(config_.suffix_indicator.size()) : token;
  }
  return text;
}

}  // namespace cornu::tokenizers
