// Vocabularies, and batches of texts.
#include "tokenizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "../../framework/config/json.h"

namespace cornu::tokenizers {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(fmt::format("Cannot read the file '{}'.", path.string()));
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::map<std::string, int64_t> tokens_of_json(const std::string& path) {
  const Value value = parse_json(read_text(path), path);
  std::map<std::string, int64_t> result;
  if (!value.is<Value::Dict>())
    throw FileError(
        fmt::format("'{}' is no vocabulary: expected an object of tokens with their numbers, "
                    "{{\"token\": 0}}.",
                    path));
  for (const auto& [token, id] : value.get<Value::Dict>()) {
    if (!id.is<int64_t>())
      throw FileError(fmt::format("'{}': token '{}' has no number.", path, token));
    result.emplace(token, id.get<int64_t>());
  }
  return result;
}

bool ends_with_json(const std::string& path) {
  return std::filesystem::path(path).extension() == ".json";
}

}  // namespace

std::vector<std::string> Lines::read() const {
  if (!path_) return lines_;
  const std::string text = read_text(*path_);
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    begin = end + 1;
  }
  return lines;
}

Tokenizer::Tokenizer(const Tokens& tokens, std::optional<int64_t> sequence_length,
                     int64_t pad_token_id)
    : sequence_length_(sequence_length), pad_token_id_(pad_token_id) {
  if (sequence_length && *sequence_length <= 0)
    throw ValueError(
        fmt::format("option 'sequence_length' must be positive, found {}.", *sequence_length));
  auto add_map = [&](const std::map<std::string, int64_t>& map) {
    for (const auto& [token, id] : map) add(token, id);
  };
  auto add_list = [&](const std::vector<std::string>& list) {
    for (size_t i = 0; i < list.size(); ++i) add(list[i], static_cast<int64_t>(i));
  };
  if (const auto* path = std::get_if<std::string>(&tokens.given())) {
    if (ends_with_json(*path))
      add_map(tokens_of_json(*path));
    else
      add_list(Lines(*path).read());
  } else if (const auto* list = std::get_if<std::vector<std::string>>(&tokens.given())) {
    add_list(*list);
  } else {
    add_map(std::get<std::map<std::string, int64_t>>(tokens.given()));
  }
  if (ids_.empty())
    throw ValueError("option 'vocabulary' has no tokens: give a list, a map or a file's path.");
}

void Tokenizer::add(const std::string& token, int64_t id) {
  if (id < 0)
    throw ValueError(
        fmt::format("option 'vocabulary': token '{}' has the negative number {}.", token, id));
  // What tensors of tokens hold.
  if (id > std::numeric_limits<int32_t>::max())
    throw ValueError(
        fmt::format("option 'vocabulary': token '{}' has the number {}; the largest is {}.", token,
                    id, std::numeric_limits<int32_t>::max()));
  const auto [at, fresh] = ids_.emplace(token, id);
  if (!fresh)
    throw ValueError(fmt::format("option 'vocabulary': token '{}' is there twice, as {} and {}.",
                                 token, at->second, id));
  const auto [other, free] = tokens_.emplace(id, &at->first);
  if (!free)
    throw ValueError(fmt::format("option 'vocabulary': tokens '{}' and '{}' share the number {}.",
                                 *other->second, token, id));
  vocabulary_size_ = std::max(vocabulary_size_, id + 1);
}

const int64_t* Tokenizer::find(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? nullptr : &found->second;
}

void Tokenizer::check_special(const std::vector<std::string>& tokens) const {
  for (const std::string& token : tokens) token_to_id(token);
}

int64_t Tokenizer::token_to_id(const std::string& token) const {
  if (const int64_t* id = find(token)) return *id;
  std::vector<std::string> known;
  for (const auto& entry : ids_) known.push_back(entry.first);
  std::sort(known.begin(), known.end());
  throw ValueError(fmt::format("the vocabulary of {} tokens has no token '{}'.{}", ids_.size(),
                               token, did_you_mean(token, known)));
}

const std::string& Tokenizer::id_to_token(int64_t id) const {
  const auto found = tokens_.find(id);
  if (found == tokens_.end())
    throw ValueError(fmt::format("the vocabulary has no token of number {}; numbers are 0 to {}.",
                                 id, vocabulary_size_ - 1));
  return *found->second;
}

Tensor Tokenizer::operator()(const std::vector<std::string>& texts) const {
  std::vector<std::vector<int64_t>> rows;
  size_t length = 0;
  for (const std::string& text : texts) {
    rows.push_back(encode(text));
    length = std::max(length, rows.back().size());
  }
  if (sequence_length_) length = static_cast<size_t>(*sequence_length_);
  std::vector<int32_t> ids(rows.size() * length, static_cast<int32_t>(pad_token_id_));
  for (size_t i = 0; i < rows.size(); ++i)
    std::transform(rows[i].begin(),
                   rows[i].begin() + static_cast<ptrdiff_t>(std::min(length, rows[i].size())),
                   ids.begin() + static_cast<ptrdiff_t>(i * length),
                   [](int64_t id) { return static_cast<int32_t>(id); });
  return Tensor::from(ids, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(length)});
}

std::vector<std::string> Tokenizer::detokenize(const Tensor& ids) const {
  if (ids.shape().rank() != 2)
    throw ShapeError(fmt::format("detokenize takes numbers (texts, length), found shape {}.",
                                 ids.shape().str()));
  const std::vector<int64_t> all = ids.to_vector<int64_t>();
  const auto length = static_cast<size_t>(ids.shape()[1]);
  std::vector<std::string> texts;
  for (size_t begin = 0; texts.size() < static_cast<size_t>(ids.shape()[0]); begin += length) {
    std::span<const int64_t> row(all.data() + begin, length);
    while (!row.empty() && row.back() == pad_token_id_) row = row.first(row.size() - 1);
    texts.push_back(decode(row));
  }
  return texts;
}

}  // namespace cornu::tokenizers
