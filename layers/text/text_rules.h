// What TextVectorization does to a text: standardizing, splitting, and joining words to n-grams.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../framework/config/option.h"

namespace cornu::layers {

/// An option that is the name of a rule, none (nullopt or nullptr), or a function of the user's,
/// which files cannot keep.
template <class Result>
class TextRule {
 public:
  /// What a function of the user's gives for a text: a Result.
  using Function = std::function<Result(const std::string&)>;
  TextRule(std::nullopt_t) {}                             ///< no rule
  TextRule(std::nullptr_t) {}                             ///< the same
  TextRule(const char* name) : name_(name) {}             ///< the rule of that name
  TextRule(std::string name) : name_(std::move(name)) {}  ///< the same

  /// A function of the user's, which files cannot keep.
  template <class F>
  requires std::is_invocable_r_v<Result, F, const std::string&> TextRule(F f)
      : function_(std::move(f)) {}
  /// A function of a tensor of texts, as Keras takes it to standardize them. It is called with one
  /// text at a time, of shape (1), and gives one.
  template <class F>
  requires(std::same_as<Result, std::string> && !std::is_invocable_v<F&, const std::string&> &&
           std::is_invocable_r_v<Tensor, F&, const Tensor&>) TextRule(F f)
      : function_([f = std::move(f)](const std::string& text) {
          const Tensor result = f(Tensor::strings({text}, {1}));
          if (result.size() != 1)
            throw ShapeError("standardize: the function must give a text for each, found shape " +
                             result.shape().str() + " for one text.");
          return result.to_strings()[0];
        }) {}

  const std::string& name() const { return name_; }          ///< empty for none and for a function
  const Function& function() const { return function_; }     ///< empty unless it is a function
  bool none() const { return name_.empty() && !function_; }  ///< whether there is no rule

 private:
  std::string name_;
  Function function_;
};

using TextStandardize = TextRule<std::string>;         ///< how a text is made uniform
using TextSplit = TextRule<std::vector<std::string>>;  ///< how a text is cut into words

/// Throws ValueError for a name that is not known.
void check_text_rules(const TextStandardize& standardize, const TextSplit& split);
/// ASCII letters become small for "lower", ASCII punctuation goes for "strip_punctuation".
std::string standardized(const std::string& text, const TextStandardize& rule);
/// Words between ASCII blanks for "whitespace", UTF-8 characters for "character".
std::vector<std::string> split_text(const std::string& text, const TextSplit& rule);
/// For each width, one after the other, that many neighboring words joined by spaces.
std::vector<std::string> ngrams_of(const std::vector<std::string>& words,
                                   const std::vector<int64_t>& widths);

}  // namespace cornu::layers

namespace cornu::detail {

template <class Result>
struct OptionCodec<layers::TextRule<Result>> {
  static Value encode(const layers::TextRule<Result>& v) {
    if (v.function())
      throw UnsupportedError("a function of the program's cannot be written to a config.");
    return v.none() ? Value() : Value(v.name());
  }
  static layers::TextRule<Result> decode(const Value& v) {
    if (v.is_null()) return std::nullopt;
    if (v.is<std::string>()) return v.get<std::string>();
    throw UnsupportedError(
        "a function that was written in Python cannot be read. Make the layer in C++ with a "
        "function of yours, and set its vocabulary.");
  }
};

}  // namespace cornu::detail
