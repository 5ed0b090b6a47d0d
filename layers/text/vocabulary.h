// Vocabulary: the option by which look-up layers are given their words.
#pragma once
#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "../../framework/config/option.h"

namespace cornu::layers {

/// Words or integers in the order of their numbers: a list, `.vocabulary = {"a", "b"}`, or the path
/// of a text file with one on each line. None by default.
template <class Token>
class Vocabulary {
 public:
  Vocabulary() = default;
  Vocabulary(std::nullopt_t) {}  ///< none

  /// The tokens, in the order of their numbers.
  Vocabulary(std::initializer_list<Token> tokens) : tokens_(std::vector<Token>(tokens)) {}
  Vocabulary(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}  ///< the same
  Vocabulary(const char* path) : path_(path) {}  ///< the path of a text file

  /// The same.
  template <std::same_as<std::string> T>
  Vocabulary(T path) : path_(std::move(path)) {}

  bool given() const { return tokens_ || !path_.empty(); }  ///< whether there is a list or a path

  /// The list; none for a path.
  const std::optional<std::vector<Token>>& tokens() const { return tokens_; }
  const std::string& path() const { return path_; }  ///< the path; empty for a list

 private:
  std::optional<std::vector<Token>> tokens_;
  std::string path_;
};

}  // namespace cornu::layers

namespace cornu::detail {

template <class Token>
struct OptionCodec<layers::Vocabulary<Token>> {
  static Value encode(const layers::Vocabulary<Token>& v) {
    return v.tokens() ? Value(*v.tokens()) : Value();
  }
  static layers::Vocabulary<Token> decode(const Value& v) {
    if (v.is_null()) return {};
    // A file from elsewhere must not make the program read other files.
    if (v.is<std::string>())
      throw ValueError(
          "a vocabulary in a file ('" + v.get<std::string>() +
          "') is not read for a layer that comes from a config. Read the words and give the list.");
    if (v.is<Tensor>()) {
      if constexpr (std::same_as<Token, std::string>)
        return v.get<Tensor>().to_strings();
      else
        return v.get<Tensor>().to_vector<int64_t>();
    }
    return OptionCodec<std::vector<Token>>::decode(v);
  }
};

}  // namespace cornu::detail
