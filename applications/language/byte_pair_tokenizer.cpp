// Joining the bytes of words by the ranks of pairs.
#include "byte_pair_tokenizer.h"

#include <fmt/core.h>

#include <queue>

#include "../../backend/error.h"
#include "special_tokens.h"
#include "unicode.h"

namespace cornu::tokenizers {
namespace {

constexpr size_t max_cached_words = 65536, max_cached_length = 64;

// Bytes that print stand for themselves; the others, in order, for the characters from 256 on.
std::array<char32_t, 256> byte_characters() {
  std::array<char32_t, 256> result{};
  char32_t next = 256;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool prints = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
    result[byte] = prints ? byte : next++;
  }
  return result;
}

uint64_t pair_key(int64_t first, int64_t second) {
  return static_cast<uint64_t>(first) << 32 | static_cast<uint64_t>(second);
}

// A token of a word, with its neighbors' places; -1: none, and a number of -1: joined to another.
struct Symbol {
  int64_t id;
  int previous, next;
};

struct Candidate {
  int64_t rank, result;
  int place;  // of the first of the two
  int64_t first, second;
  bool operator<(const Candidate& other) const {
    return std::pair(rank, place) > std::pair(other.rank, other.place);
  }
};

}  // namespace

BytePairTokenizer::BytePairTokenizer(BytePairTokenizerConfig config)
    : Tokenizer(config.vocabulary, config.sequence_length, config.pad_token_id),
      unsplittable_tokens_(std::move(config.unsplittable_tokens)),
      add_prefix_space_(config.add_prefix_space) {
  check_special(unsplittable_tokens_);
  const auto characters = byte_characters();
  for (size_t byte = 0; byte < 256; ++byte) {
    std::string token;
    unicode::append(token, characters[byte]);
    const int64_t* id = find(token);
    byte_ids_[byte] = id ? *id : -1;
  }
  int64_t rank = 0;
  for (const std::string& line : config.merges.read())
    if (!line.empty() && !(rank == 0 && line.starts_with("#version"))) add_merge(line, rank++);
}

void BytePairTokenizer::add_merge(const std::string& line, int64_t rank) {
  const size_t space = line.find(' ');
  if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos)
    throw ValueError(fmt::format(
        "option 'merges': expected two tokens with a space between them, found '{}'.", line));
  const std::string first = line.substr(0, space), second = line.substr(space + 1);
  for (const std::string& token : {first, second, first + second})
    if (!find(token))
      throw ValueError(
          fmt::format("option 'merges': '{}' needs the token '{}', which the vocabulary does not "
                      "have. Are both files of one model?",
                      line, token));
  merges_.emplace(pair_key(*find(first), *find(second)), Merge{rank, *find(first + second)});
}

const BytePairTokenizer::Merge* BytePairTokenizer::find_merge(int64_t first, int64_t second) const {
  const auto found = merges_.find(pair_key(first, second));
  return found == merges_.end() ? nullptr : &found->second;
}

std::vector<int64_t> BytePairTokenizer::merged(std::string_view word) const {
  std::vector<Symbol> symbols;
  for (const char c : word)
    if (const int64_t id = byte_ids_[static_cast<unsigned char>(c)]; id >= 0) {
      const int place = static_cast<int>(symbols.size());
      symbols.push_back({id, place - 1, place + 1});
    }
  if (symbols.empty()) return {};
  symbols.back().next = -1;

  std::priority_queue<Candidate> queue;
  auto offer = [&](int place) {
    if (place < 0 || symbols[static_cast<size_t>(place)].next < 0) return;
    const Symbol& left = symbols[static_cast<size_t>(place)];
    const int64_t second = symbols[static_cast<size_t>(left.next)].id;
    if (const Merge* merge = find_merge(left.id, second))
      queue.push({merge->rank, merge->result, place, left.id, second});
  };
  for (int i = 0; i < static_cast<int>(symbols.size()); ++i) offer(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[static_cast<size_t>(best.place)];
    // A neighbor has been joined to another since the pair was queued.
    if (left.id != best.first || left.next < 0) continue;
    Symbol& right = symbols[static_cast<size_t>(left.next)];
    if (right.id != best.second) continue;
    left.id = best.result;
    left.next = right.next;
    right.id = -1;
    if (left.next >= 0) symbols[static_cast<size_t>(left.next)].previous = best.place;
    offer(left.previous);
    offer(best.place);
  }
  std::vector<int64_t> ids;
  for (const Symbol& symbol : symbols)
    if (symbol.id >= 0) ids.push_back(symbol.id);
  return ids;
}

void BytePairTokenizer::encode_word(std::string_view word, std::vector<int64_t>& ids) const {
  const bool cached = word.size() <= max_cached_length;
  const std::string key(cached ? word : "");
  if (cached) {
    const std::lock_guard lock(mutex_);
    if (const auto found = words_.find(key); found != words_.end()) {
      ids.insert(ids.end(), found->second.begin(), found->second.end());
      return;
    }
  }
  const std::vector<int64_t> found = merged(word);
  ids.insert(ids.end(), found.begin(), found.end());
  if (!cached) return;
  const std::lock_guard lock(mutex_);
  if (words_.size() < max_cached_words) words_.emplace(key, found);
}

void BytePairTokenizer::encode_part(std::string_view text, std::vector<int64_t>& ids) const {
  const std::string prefixed =
      add_prefix_space_ && !text.starts_with(' ') ? " " + std::string(text) : "";
  for (const std::string_view word : split_words(prefixed.empty() ? text : prefixed))
    encode_word(word, ids);
}

std::vector<int64_t> BytePairTokenizer::encode(std::string_view text) const {
  std::vector<int64_t> ids;
  split_at_special_tokens(text, unsplittable_tokens_, [&](std::string_view part, bool special) {
    if (special)
      ids.push_back(*find(std::string(part)));
    else
      encode_part(part, ids);
  });
  return ids;
}

std::string BytePairTokenizer::decode(std::span<const int64_t> ids) const {
  static const std::unordered_map<char32_t, char> bytes = [] {
    const auto characters = byte_characters();
    std::unordered_map<char32_t, char> result;
    for (size_t byte = 0; byte < 256; ++byte)
      result.emplace(characters[byte], static_cast<char>(byte));
    return result;
  }();
  std::string text;
  for (const int64_t id : ids) {
    const std::string& token = id_to_token(id);
    std::string decoded;
    bool of_bytes = true;
    for (const char32_t c : unicode::characters(token)) {
      const auto found = bytes.find(c);
      of_bytes = of_bytes && found != bytes.end();
      if (of_bytes) decoded += found->second;
    }
    text += of_bytes ? decoded : token;
  }
  return text;
}

}  // namespace cornu::tokenizers
