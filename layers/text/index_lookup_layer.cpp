// Look-up layers: their table, their vocabulary in files, and what a call gives.
#include "index_lookup_layer.h"

#include <fmt/core.h>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../tabular/encoding.h"
#include "integer_lookup.h"
#include "lookup_ops.h"
#include "string_lookup.h"

namespace cornu::layers {

template <class Self, class C, class Token>
IndexLookupLayer<Self, C, Token>::IndexLookupLayer(C c, LookupRules<Token> rules)
    : LayerOf<Self, C>(std::move(c)) {
  auto& config = this->config;
  config.output_mode = rules.output_mode;
  check_output_mode(config.output_mode, {"int", "one_hot", "multi_hot", "count", "tf_idf"},
                    config.sparse);
  table_ = std::make_shared<LookupTable<Token>>(std::move(rules), config.vocabulary_size);
  has_input_vocabulary_ = config.vocabulary.given();
  this->autocast_ = false;
  if (config.idf_weights && config.output_mode != "tf_idf")
    throw ValueError("idf_weights: only count with output_mode 'tf_idf', found '" +
                     config.output_mode + "'.");
  if (has_input_vocabulary_) set_vocabulary(config.vocabulary, config.idf_weights);
}

template <class Self, class C, class Token>
void IndexLookupLayer<Self, C, Token>::note_size() {
  this->config.vocabulary_size = table_->known_size();
}

template <class Self, class C, class Token>
std::vector<Token> IndexLookupLayer<Self, C, Token>::get_vocabulary(bool include_special) const {
  return table_->vocabulary(include_special);
}

template <class Self, class C, class Token>
void IndexLookupLayer<Self, C, Token>::set_vocabulary(
    const Vocabulary<Token>& vocabulary, const std::optional<std::vector<double>>& idf_weights) {
  if (!vocabulary.given()) throw ValueError("vocabulary: must not be empty.");
  if (vocabulary.tokens()) {
    table_->set_vocabulary(*vocabulary.tokens(), idf_weights);
  } else {
    if (this->config.output_mode == "tf_idf")
      throw ValueError("vocabulary: with output_mode 'tf_idf' it cannot come from a file.");
    table_->set_tokens(tokens_in<Token>(read_text(vocabulary.path())));
  }
  note_size();
}

template <class Self, class C, class Token>
Tensor IndexLookupLayer<Self, C, Token>::call(const Tensor& given, const Call&) {
  const auto& config = this->config;
  if (config.output_mode == "int")
    return config.invert ? tokens_of(table_, given) : numbers_of(table_, given);
  const int64_t depth = table_->depth();
  const Tensor numbers = numbers_of(table_, given);
  if (config.output_mode != "tf_idf")
    return encode_categories(numbers, config.output_mode, depth, DType::int64);
  const Tensor counts = encode_categories(numbers, "count", depth, DType::float32);
  if (!table_->idf_weights) {
    // A file's model is put together before the weights are read.
    if (!given.is_eager()) return counts;
    throw StateError("output_mode 'tf_idf' needs idf_weights: give them, or call adapt(data).");
  }
  return counts * Tensor(table_->idf_weights);
}

template <class Self, class C, class Token>
Nest IndexLookupLayer<Self, C, Token>::call_many(const Nest& inputs, const Call& call) {
  return this->call(stacked(inputs), call);
}

template <class Self, class C, class Token>
void IndexLookupLayer<Self, C, Token>::adapt(const Tensor& data) {
  Adaptable::adapt(data.rank() == 1 ? ops::expand_dims(data, {-1}) : data);
}

template <class Self, class C, class Token>
void IndexLookupLayer<Self, C, Token>::reset_state() {
  if (!has_input_vocabulary_) table_->forget();
}

template <class Self, class C, class Token>
void IndexLookupLayer<Self, C, Token>::update_state(const Tensor& batch) {
  if (has_input_vocabulary_)
    throw StateError("adapt: the vocabulary is an option of this layer, so there is none to find.");
  const std::vector<Token> tokens = tokens_in<Token>(batch);
  const size_t documents = batch.rank() < 2 ? 1 : static_cast<size_t>(batch.shape()[0]);
  const size_t length = documents == 0 ? 0 : tokens.size() / documents;
  for (size_t d = 0; d < documents; ++d)
    table_->count(std::span<const Token>(tokens).subspan(d * length, length));
}

template <class Self, class C, class Token>
void IndexLookupLayer<Self, C, Token>::finalize_state() {
  if (!has_input_vocabulary_) table_->learn();
  note_size();
}

template <class Self, class C, class Token>
std::vector<Tensor> IndexLookupLayer<Self, C, Token>::statistics() const {
  return {Tensor(get_vocabulary())};
}

template <class Self, class C, class Token>
void IndexLookupLayer<Self, C, Token>::save_assets(AssetStore& store) const {
  if (this->config.vocabulary.tokens()) return;
  const std::vector<Token> tokens = get_vocabulary();
  if constexpr (std::is_same_v<Token, std::string>)
    for (size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].find('\n') != std::string::npos || tokens[i].ends_with('\r'))
        throw ValueError(fmt::format(
            "vocabulary: token {} has the end of a line in it, which a file of a token on each "
            "line cannot hold. Standardize such texts, or give the vocabulary as an option.",
            i));
  store.write("vocabulary.txt", lines_of(tokens));
}

template <class Self, class C, class Token>
void IndexLookupLayer<Self, C, Token>::save_own_variables(VariableStore& store) const {
  for (const Variable& v : weights_to_write()) store.set(v.name(), v.value());
}

template <class Self, class C, class Token>
void IndexLookupLayer<Self, C, Token>::load_assets(const AssetStore& store) {
  if (this->config.vocabulary.tokens()) return;
  const std::optional<std::string> text = store.read("vocabulary.txt");
  if (!text) return;
  std::vector<Token> tokens = tokens_in<Token>(*text);
  if constexpr (std::is_same_v<Token, std::string>)
    while (!tokens.empty() && tokens.back().empty()) tokens.pop_back();
  if (tokens.empty()) return;
  std::optional<std::vector<double>> weights;
  if (this->config.output_mode == "tf_idf") weights.emplace(tokens.size(), 0.0);
  table_->set_vocabulary(tokens, weights);
  note_size();
}

template <class Self, class C, class Token>
std::vector<Variable> IndexLookupLayer<Self, C, Token>::weights_to_write() const {
  if (!table_->idf_weights) return {};
  return {table_->idf_weights};
}

template class IndexLookupLayer<StringLookupLayer, StringLookupConfig, std::string>;
template class IndexLookupLayer<IntegerLookupLayer, IntegerLookupConfig, int64_t>;

std::string canonical_output_mode(const std::string& mode) {
  return mode == "binary" ? "multi_hot" : mode == "tf-idf" ? "tf_idf" : mode;
}

std::optional<std::vector<int64_t>> two_salts(const std::optional<std::vector<int64_t>>& salt) {
  if (!salt) return {};
  if (salt->size() != 1 && salt->size() != 2)
    throw ValueError(fmt::format("salt: expected one integer or two, found {}.", salt->size()));
  return std::vector<int64_t>{salt->front(), salt->back()};
}

std::optional<std::array<uint64_t, 2>> salt_key(const std::optional<std::vector<int64_t>>& salt) {
  const auto both = two_salts(salt);
  if (!both) return {};
  return std::array<uint64_t, 2>{static_cast<uint64_t>((*both)[0]),
                                 static_cast<uint64_t>((*both)[1])};
}

}  // namespace cornu::layers
