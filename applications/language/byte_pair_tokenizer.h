// BytePairTokenizer: texts in pieces that are often found together, down to single bytes.
#pragma once
#include <array>
#include <mutex>

#include "tokenizer.h"

namespace cornu::tokenizers {

/// Options of BytePairTokenizer, as in KerasHub.
struct BytePairTokenizerConfig {
  /// Tokens with their numbers: the path of a "vocab.json", or a map, or a list. Bytes are written
  /// as GPT-2 does, a space as "\u0120" ("Ġ").
  Tokens vocabulary;
  /// Pairs of tokens that become one, the first before the second: the path of a "merges.txt", or a
  /// list of "a b".
  Lines merges;
  /// Numbers in each row of a batch; none: those of the longest text.
  std::optional<int64_t> sequence_length = {};
  bool add_prefix_space = false;  ///< put a space in front of a text that begins with none
  /// Tokens that are found in texts before anything else, such as "<|endoftext|>".
  std::vector<std::string> unsplittable_tokens = {};
  int64_t pad_token_id = 0;  ///< the number behind texts that are shorter than their row
};

/// The byte-pair encoding of GPT-2 (Sennrich et al., https://arxiv.org/abs/1508.07909; Radford et
/// al., Language Models are Unsupervised Multitask Learners, 2019). Texts are cut into words,
/// numbers, punctuation and spaces; the bytes of each are then joined, the pair first that comes
/// first among the merges. Any text, and any bytes, come back from decode as they were, if the
/// vocabulary has all 256 bytes; bytes that it does not have are left out.
///
///   tokenizers::BytePairTokenizer tokenizer({.vocabulary = "vocab.json", .merges = "merges.txt"});
///   auto ids = tokenizer.encode("Hello, world");
class BytePairTokenizer : public Tokenizer {
 public:
  /// Throws FileError for a file that cannot be read or is no vocabulary; ValueError for a merge
  /// that is not two tokens, or of tokens that the vocabulary does not have.
  explicit BytePairTokenizer(BytePairTokenizerConfig config);

  std::vector<int64_t> encode(std::string_view text) const override;
  /// The bytes of these tokens: no UTF-8 where a character's tokens are not all there.
  std::string decode(std::span<const int64_t> ids) const override;
  using Tokenizer::decode;

 private:
  struct Merge {
    int64_t rank, result;
  };
  void add_merge(const std::string& line, int64_t rank);
  const Merge* find_merge(int64_t first, int64_t second) const;
  void encode_part(std::string_view text, std::vector<int64_t>& ids) const;
  void encode_word(std::string_view word, std::vector<int64_t>& ids) const;
  std::vector<int64_t> merged(std::string_view word) const;

  std::vector<std::string> unsplittable_tokens_;
  bool add_prefix_space_;
  std::array<int64_t, 256> byte_ids_;           // -1: not in the vocabulary
  std::unordered_map<uint64_t, Merge> merges_;  // by both numbers
  mutable std::mutex mutex_;                    // of the words
  mutable std::unordered_map<std::string, std::vector<int64_t>> words_;
};

/// The pieces into which GPT-2 cuts a text before it joins bytes: a word, a number or other signs,
/// each with the space in front of it; the ends of English words such as "'ll"; and spaces. What it
/// writes as the pattern
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::vector<std::string_view> split_words(std::string_view text);

}  // namespace cornu::tokenizers
