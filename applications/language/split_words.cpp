// GPT-2's pattern by hand: each of its alternatives in turn, at each place.
#include <algorithm>
#include <array>

#include "../../framework/io/utf8.h"
#include "byte_pair_tokenizer.h"
#include "unicode.h"

namespace cornu::tokenizers {
namespace {

enum class Kind : uint8_t { letter, number, space, other };

struct Character {
  Kind kind = Kind::other;
  size_t length = 1;  // in bytes
};

// A byte that is no UTF-8 is a sign of its own.
Character character_at(std::string_view text) {
  const auto c = io::first_character(text);
  if (!c) return {};
  if (unicode::is_letter(c->code)) return {Kind::letter, c->length};
  if (unicode::is_number(c->code)) return {Kind::number, c->length};
  if (unicode::is_whitespace(c->code)) return {Kind::space, c->length};
  return {Kind::other, c->length};
}

struct Run {
  size_t length = 0;  // of all characters of the kind
  size_t last = 0;    // of the last of them
};

Run run_of(std::string_view text, Kind kind) {
  Run run;
  while (run.length < text.size()) {
    const Character c = character_at(text.substr(run.length));
    if (c.kind != kind) break;
    run.length += c.length;
    run.last = c.length;
  }
  return run;
}

size_t contraction_length(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(ending)) return ending.size();
  return 0;
}

size_t piece_length(std::string_view text) {
  if (const size_t length = contraction_length(text)) return length;
  const size_t space = text.front() == ' ' && text.size() > 1 ? 1 : 0;
  const Kind kind = character_at(text.substr(space)).kind;
  if (kind != Kind::space) return space + run_of(text.substr(space), kind).length;
  const Run spaces = run_of(text, Kind::space);
  // The last space goes with the word behind it, unless it is the only one.
  const bool ends = spaces.length == text.size() || spaces.length == spaces.last;
  return ends ? spaces.length : spaces.length - spaces.last;
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const size_t length = piece_length(text);
    pieces.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return pieces;
}

}  // namespace cornu::tokenizers
