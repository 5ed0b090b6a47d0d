// LookupTable: words or integers and their numbers, and how a table is learned from data. The
// common part of StringLookup and IntegerLookup.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../framework/dispatch/variable.h"

namespace cornu::layers {

/// The options that look-up layers share.
template <class Token>
struct LookupRules {
  std::optional<int64_t> max_tokens;  ///< largest size, special tokens included; none: no limit
  int64_t num_oov_indices = 1;        ///< how many numbers unknown tokens share; 0: they are errors
  std::optional<Token> mask_token;    ///< the token of number 0 in mode "int"; none: no such number
  std::optional<Token> oov_token;     ///< what numbers of unknown tokens become with invert
  bool invert = false;                ///< numbers become tokens
  std::string output_mode = "int";    ///< "int", "one_hot", "multi_hot", "count" or "tf_idf"
  bool pad_to_max_tokens = false;     ///< encodings have max_tokens entries

  /// Of integers: unknown ones are spread by a hash, not by their remainder.
  bool farmhash = false;
  std::optional<std::array<uint64_t, 2>> salt;  ///< key of SipHash; none: FarmHash
};

/// Numbers 0 to the vocabulary's size: the mask token (in mode "int", if there is one), the numbers
/// of what is out of the vocabulary, then the tokens.
template <class Token>
class LookupTable {
 public:
  /// Throws ValueError when the rules contradict each other. `vocabulary_size` is what a file knows
  /// of the size before the words are there.
  LookupTable(LookupRules<Token> rules, std::optional<int64_t> vocabulary_size);

  /// The rules it was made with.
  const LookupRules<Token>& rules() const { return rules_; }
  /// The size of an encoded axis. Throws StateError while there is no vocabulary.
  int64_t depth() const;
  /// Number of tokens with the special ones.
  int64_t size() const { return token_start() + static_cast<int64_t>(tokens_.size()); }
  /// The size that a file or a vocabulary has settled; none before.
  const std::optional<int64_t>& known_size() const { return known_size_; }
  /// The tokens in the order of their numbers, with or without the special ones.
  std::vector<Token> vocabulary(bool include_special_tokens) const;

  /// Takes over a list that may begin with the special tokens. Throws ValueError for repeated or
  /// misplaced tokens and too long lists.
  void set_vocabulary(const std::vector<Token>& vocabulary,
                      const std::optional<std::vector<double>>& idf_weights);
  /// The same for a list of tokens without the special ones.
  void set_tokens(std::vector<Token> tokens);

  /// Counts the tokens of one document.
  void count(std::span<const Token> document);
  void forget();  ///< drops what was counted

  /// Makes the vocabulary of what was counted, the most frequent token first and at most max_tokens
  /// with the special ones, and drops the counts. In mode "tf_idf" a token weighs log(1 + documents
  /// / (1 + documents with it)). Nothing counted leaves the vocabulary. Throws StateError when the
  /// size of an encoding would change.
  void learn();

  /// -1 for the mask token in modes other than "int". Throws ValueError for an unknown token when
  /// there is no number for those.
  int64_t number_of(const Token& token) const;
  /// The token of a number.
  const Token& token_of(int64_t number) const;

  /// Weights by number, of mode "tf_idf".
  Variable idf_weights;

 private:
  int64_t oov_start() const { return rules_.mask_token && rules_.output_mode == "int" ? 1 : 0; }
  int64_t token_start() const { return oov_start() + rules_.num_oov_indices; }
  int64_t unknown(const Token& token) const;
  void settle_size();
  void set_idf_weights(std::vector<double> weights);

  LookupRules<Token> rules_;
  std::vector<Token> tokens_;
  std::unordered_map<Token, int64_t> numbers_;
  std::optional<int64_t> known_size_;
  std::unordered_map<Token, int64_t> counts_, document_counts_;
  int64_t documents_ = 0;
};

extern template class LookupTable<std::string>;
extern template class LookupTable<int64_t>;

}  // namespace cornu::layers
