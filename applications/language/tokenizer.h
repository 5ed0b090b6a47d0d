// Tokenizer: texts to the numbers of a vocabulary's tokens and back.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "../../framework/tensor/tensor.h"

namespace cornu::tokenizers {

/// Tokens with their numbers, from a file or the program.
class Tokens {
 public:
  /// The path of a file of the user's: ".json" {"token": number}, else one token on each line, the
  /// first of number 0.
  Tokens(const char* path) : tokens_(std::string(path)) {}
  Tokens(std::string path) : tokens_(std::move(path)) {}  ///< the same
  /// Tokens in the order of their numbers.
  Tokens(std::initializer_list<std::string> tokens) : tokens_(std::vector<std::string>(tokens)) {}
  Tokens(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}  ///< the same
  /// Tokens with any numbers from 0.
  Tokens(std::map<std::string, int64_t> tokens) : tokens_(std::move(tokens)) {}

  /// What was given.
  const std::variant<std::string, std::vector<std::string>, std::map<std::string, int64_t>>& given()
      const {
    return tokens_;
  }

 private:
  std::variant<std::string, std::vector<std::string>, std::map<std::string, int64_t>> tokens_;
};

/// The lines of a text: of the file at a path, or as given.
class Lines {
 public:
  Lines(const char* path) : path_(path) {}                             ///< the path of a file
  Lines(std::string path) : path_(std::move(path)) {}                  ///< the same
  Lines(std::initializer_list<std::string> lines) : lines_(lines) {}   ///< the lines
  Lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}  ///< the same
  /// The lines without their ends; throws FileError when the file cannot be read.
  std::vector<std::string> read() const;

 private:
  std::optional<std::string> path_;
  std::vector<std::string> lines_;
};

/// What all tokenizers can do. Calls may be made from any number of threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;             ///< to be shared, not copied
  Tokenizer& operator=(const Tokenizer&) = delete;  ///< likewise

  /// The numbers of a UTF-8 text's tokens.
  virtual std::vector<int64_t> encode(std::string_view text) const = 0;
  /// The text of these tokens; throws ValueError for a number that is none.
  virtual std::string decode(std::span<const int64_t> ids) const = 0;
  /// The same for numbers in braces.
  std::string decode(std::initializer_list<int64_t> ids) const {
    return decode(std::span(ids.begin(), ids.size()));
  }

  /// The texts' tokens, padded with pad_token_id behind, or cut: int32 (texts, sequence_length), or
  /// (texts, length of the longest).
  Tensor operator()(const std::vector<std::string>& texts) const;
  /// The texts of the rows of integers (texts, length), without the padding behind.
  std::vector<std::string> detokenize(const Tensor& ids) const;

  /// The number of a token; throws ValueError, which names a similar one, for an unknown token.
  int64_t token_to_id(const std::string& token) const;
  /// The token of a number, as the vocabulary writes it; throws ValueError for a number that is
  /// none.
  const std::string& id_to_token(int64_t id) const;
  int64_t vocabulary_size() const { return vocabulary_size_; }  ///< one more than the last number
  /// All tokens with their numbers.
  const std::unordered_map<std::string, int64_t>& get_vocabulary() const { return ids_; }

 protected:
  /// Reads the tokens. Throws FileError for a file that is no vocabulary, ValueError for an empty
  /// one, a token that is there twice, and numbers that are negative, above int32 or shared.
  Tokenizer(const Tokens& tokens, std::optional<int64_t> sequence_length, int64_t pad_token_id);

  const int64_t* find(const std::string& token) const;  ///< the token's number; null: unknown
  /// Throws ValueError for a special token that the vocabulary does not have.
  void check_special(const std::vector<std::string>& tokens) const;

 private:
  void add(const std::string& token, int64_t id);

  std::unordered_map<std::string, int64_t> ids_;
  std::unordered_map<int64_t, const std::string*> tokens_;  // into ids_, whose nodes stay in place
  int64_t vocabulary_size_ = 0;
  std::optional<int64_t> sequence_length_;
  int64_t pad_token_id_;
};

}  // namespace cornu::tokenizers
