// WordPieceTokenizer: texts in words, and rare words in pieces.
#pragma once
#include "tokenizer.h"

namespace cornu::tokenizers {

/// Options of WordPieceTokenizer, as in KerasHub.
struct WordPieceTokenizerConfig {
  /// Tokens with their numbers: the path of a "vocab.txt", a list or a map.
  Tokens vocabulary;
  /// Numbers in each row of a batch; none: those of the longest text.
  std::optional<int64_t> sequence_length = {};
  bool lowercase = false;                  ///< capitals become small letters
  std::optional<bool> strip_accents = {};  ///< letters lose their accents; none: as lowercase
  bool split = true;                       ///< cut texts at spaces and punctuation
  bool split_on_cjk = true;                ///< each Chinese character is a word
  std::string suffix_indicator = "##";     ///< in front of pieces that do not begin a word
  std::string oov_token = "[UNK]";         ///< a word that no pieces of the vocabulary make
  /// Tokens that are found in texts before anything else, such as "[MASK]".
  std::vector<std::string> special_tokens = {};
  int64_t max_input_chars_per_word = 100;  ///< longer words are the oov_token
  int64_t pad_token_id = 0;  ///< the number behind texts that are shorter than their row
};

/// The tokenizer of BERT (Devlin et al., https://arxiv.org/abs/1810.04805): control characters go,
/// capitals and accents if asked for; texts are cut at spaces, signs and Chinese characters; a word
/// is then the longest token that it begins with, and so on with what is left of it. It adds no
/// "[CLS]" and "[SEP]". decode joins tokens with spaces, but pieces of one word without.
///
///   tokenizers::WordPieceTokenizer tokenizer({.vocabulary = "vocab.txt", .lowercase = true});
///   auto ids = tokenizer.encode("Hello, world");
class WordPieceTokenizer : public Tokenizer {
 public:
  /// Throws FileError for a file that cannot be read or is no vocabulary; ValueError for an
  /// oov_token or special tokens that the vocabulary does not have.
  explicit WordPieceTokenizer(WordPieceTokenizerConfig config);

  std::vector<int64_t> encode(std::string_view text) const override;
  std::string decode(std::span<const int64_t> ids) const override;
  using Tokenizer::decode;

 private:
  std::vector<char32_t> normalized(std::string_view text) const;
  void encode_part(std::string_view text, std::vector<int64_t>& ids) const;
  void encode_word(const std::vector<char32_t>& word, std::vector<int64_t>& ids) const;

  WordPieceTokenizerConfig config_;
  int64_t oov_id_;
};

}  // namespace cornu::tokenizers
