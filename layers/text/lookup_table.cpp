// Tables of tokens: their numbers, their checks, and learning them.
#include "lookup_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../tabular/fingerprint.h"

namespace cornu::layers {
namespace {

std::string shown(const std::string& token) { return "'" + token + "'"; }
std::string shown(int64_t token) { return std::to_string(token); }

template <class Token>
std::string shown(const std::vector<Token>& tokens) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(tokens.size(), 10); ++i)
    text += (i ? ", " : "") + shown(tokens[i]);
  return "[" + text + (tokens.size() > 10 ? ", ...]" : "]");
}

std::string text_of(const std::string& token) { return token; }
std::string text_of(int64_t token) { return std::to_string(token); }

}  // namespace

template <class Token>
LookupTable<Token>::LookupTable(LookupRules<Token> rules, std::optional<int64_t> vocabulary_size)
    : rules_(std::move(rules)), known_size_(vocabulary_size) {
  const auto& r = rules_;
  if (r.max_tokens && *r.max_tokens <= 1)
    throw ValueError(fmt::format("max_tokens: must be greater than 1, found {}.", *r.max_tokens));
  if (r.pad_to_max_tokens && !r.max_tokens)
    throw ValueError("pad_to_max_tokens: max_tokens must be given as well.");
  if (r.num_oov_indices < 0)
    throw ValueError(
        fmt::format("num_oov_indices: must not be negative, found {}.", r.num_oov_indices));
  if (r.invert && r.output_mode != "int")
    throw ValueError(fmt::format("invert: needs output_mode 'int', found '{}'.", r.output_mode));
}

template <class Token>
int64_t LookupTable<Token>::depth() const {
  if (rules_.pad_to_max_tokens) return *rules_.max_tokens;
  if (!known_size_)
    throw StateError(fmt::format(
        "output_mode '{}' without pad_to_max_tokens needs the vocabulary first: give `vocabulary`, "
        "or call adapt(data).",
        rules_.output_mode));
  return *known_size_;
}

template <class Token>
std::vector<Token> LookupTable<Token>::vocabulary(bool include_special_tokens) const {
  std::vector<Token> result;
  if (include_special_tokens) {
    result.assign(static_cast<size_t>(token_start()), rules_.oov_token.value_or(Token{}));
    if (oov_start() == 1) result[0] = *rules_.mask_token;
  }
  result.insert(result.end(), tokens_.begin(), tokens_.end());
  return result;
}

template <class Token>
void LookupTable<Token>::settle_size() {
  if (rules_.output_mode != "int" && !rules_.pad_to_max_tokens && known_size_ &&
      *known_size_ != size())
    throw StateError(fmt::format(
        "with output_mode '{}' and without pad_to_max_tokens the vocabulary's size cannot change: "
        "it was {} and would be {}.",
        rules_.output_mode, *known_size_, size()));
  known_size_ = size();
}

template <class Token>
void LookupTable<Token>::set_tokens(std::vector<Token> tokens) {
  std::unordered_map<Token, int64_t> numbers;
  std::vector<Token> repeated;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (!numbers.emplace(tokens[i], token_start() + static_cast<int64_t>(i)).second &&
        std::find(repeated.begin(), repeated.end(), tokens[i]) == repeated.end())
      repeated.push_back(tokens[i]);
  if (!repeated.empty())
    throw ValueError(fmt::format("vocabulary: these occur more than once: {}.", shown(repeated)));
  std::swap(tokens_, tokens);
  try {
    settle_size();
  } catch (...) {
    std::swap(tokens_, tokens);
    throw;
  }
  numbers_ = std::move(numbers);
}

template <class Token>
void LookupTable<Token>::set_vocabulary(const std::vector<Token>& vocabulary,
                                        const std::optional<std::vector<double>>& weights) {
  const bool weighted = rules_.output_mode == "tf_idf";
  if (weighted && !weights)
    throw ValueError("idf_weights: must be given with output_mode 'tf_idf'.");
  if (!weighted && weights)
    throw ValueError(fmt::format("idf_weights: only count with output_mode 'tf_idf', found '{}'.",
                                 rules_.output_mode));
  if (vocabulary.empty()) throw ValueError("vocabulary: must not be empty.");
  std::vector<Token> special;
  if (oov_start() == 1) special.push_back(*rules_.mask_token);
  // Without such a token no list can begin with it.
  const bool listable = rules_.oov_token || rules_.num_oov_indices == 0;
  special.resize(static_cast<size_t>(token_start()), rules_.oov_token.value_or(Token{}));
  const bool found = listable && vocabulary.size() >= special.size() &&
                     std::equal(special.begin(), special.end(), vocabulary.begin());
  std::vector<Token> tokens(vocabulary.begin() + (found ? token_start() : 0), vocabulary.end());
  const auto misplaced = [&](const std::optional<Token>& token, const char* what) {
    if (!token || std::find(tokens.begin(), tokens.end(), *token) == tokens.end()) return;
    throw ValueError(fmt::format(
        "vocabulary: the {} token {} is among the words. Leave out the mask and OOV tokens, or let "
        "the list begin with exactly {}.",
        what, shown(*token), shown(special)));
  };
  misplaced(rules_.mask_token, "mask");
  if (rules_.invert) misplaced(rules_.oov_token, "OOV");
  const int64_t count = token_start() + static_cast<int64_t>(tokens.size());
  if (rules_.max_tokens && count > *rules_.max_tokens)
    throw ValueError(
        fmt::format("vocabulary: has {} tokens with the special ones, more than max_tokens, {}.",
                    count, *rules_.max_tokens));
  if (weights && weights->size() != vocabulary.size())
    throw ValueError(fmt::format("idf_weights: {} numbers for a vocabulary of {}.", weights->size(),
                                 vocabulary.size()));
  set_tokens(std::move(tokens));
  if (!weights) return;
  std::vector<double> all = *weights;
  if (!found) {
    double sum = 0;
    for (double w : all) sum += w;
    all.insert(all.begin(), static_cast<size_t>(token_start()),
               sum / static_cast<double>(all.size()));
  }
  set_idf_weights(std::move(all));
}

template <class Token>
void LookupTable<Token>::set_idf_weights(std::vector<double> weights) {
  if (rules_.pad_to_max_tokens) weights.resize(static_cast<size_t>(*rules_.max_tokens));
  const Tensor value(std::vector<float>(weights.begin(), weights.end()));
  if (idf_weights && idf_weights.shape() == value.shape())
    idf_weights.assign(value);
  else
    idf_weights = Variable(value, {.name = "idf_weights", .trainable = false});
}

template <class Token>
void LookupTable<Token>::count(std::span<const Token> document) {
  for (const Token& token : document) ++counts_[token];
  if (rules_.output_mode != "tf_idf") return;
  for (const Token& token : std::set<Token>(document.begin(), document.end()))
    ++document_counts_[token];
  ++documents_;
}

template <class Token>
void LookupTable<Token>::forget() {
  counts_.clear();
  document_counts_.clear();
  documents_ = 0;
}

template <class Token>
void LookupTable<Token>::learn() {
  if (counts_.empty()) return settle_size();
  if (rules_.mask_token) counts_.erase(*rules_.mask_token);
  if (rules_.oov_token) counts_.erase(*rules_.oov_token);
  std::vector<std::pair<int64_t, Token>> ranked;
  for (const auto& [token, n] : counts_) ranked.emplace_back(n, token);
  // The most frequent first; of equally frequent ones the last by bytes or value.
  std::sort(ranked.rbegin(), ranked.rend());
  if (rules_.max_tokens)
    ranked.resize(std::min(ranked.size(), static_cast<size_t>(std::max<int64_t>(
                                              *rules_.max_tokens - token_start(), 0))));
  std::vector<Token> tokens;
  for (const auto& [n, token] : ranked) tokens.push_back(token);
  set_tokens(std::move(tokens));
  if (rules_.output_mode == "tf_idf") {
    std::vector<double> weights;
    double sum = 0;
    for (const Token& token : tokens_) {
      const double share =
          static_cast<double>(documents_) / static_cast<double>(1 + document_counts_[token]);
      weights.push_back(static_cast<float>(std::log(1 + share)));
      sum += weights.back();
    }
    weights.insert(weights.begin(), static_cast<size_t>(token_start()),
                   sum / static_cast<double>(weights.size()));
    set_idf_weights(std::move(weights));
  }
  forget();
}

template <class Token>
int64_t LookupTable<Token>::unknown(const Token& token) const {
  if (rules_.num_oov_indices == 0)
    throw ValueError(
        fmt::format("with num_oov_indices = 0 every input must be in the vocabulary; {} is not. "
                    "num_oov_indices = 1 gives a number to all that are not.",
                    shown(token)));
  if (rules_.num_oov_indices == 1) return oov_start();
  const int64_t n = rules_.num_oov_indices;
  if constexpr (std::is_same_v<Token, int64_t>)
    if (!rules_.farmhash) return oov_start() + ((token % n) + n) % n;
  const std::string text = text_of(token);
  const uint64_t hash = rules_.salt ? sip_hash(*rules_.salt, text) : fingerprint64(text);
  return oov_start() + static_cast<int64_t>(hash % static_cast<uint64_t>(n));
}

template <class Token>
int64_t LookupTable<Token>::number_of(const Token& token) const {
  // Encodings leave out what has a negative number.
  if (rules_.mask_token && token == *rules_.mask_token) return rules_.output_mode == "int" ? 0 : -1;
  const auto found = numbers_.find(token);
  return found != numbers_.end() ? found->second : unknown(token);
}

template <class Token>
const Token& LookupTable<Token>::token_of(int64_t number) const {
  static const Token none{};
  if (number == 0 && rules_.mask_token) return *rules_.mask_token;
  const int64_t place = number - token_start();
  if (place >= 0 && place < static_cast<int64_t>(tokens_.size()))
    return tokens_[static_cast<size_t>(place)];
  return rules_.oov_token ? *rules_.oov_token : none;
}

template class LookupTable<std::string>;
template class LookupTable<int64_t>;

}  // namespace cornu::layers
