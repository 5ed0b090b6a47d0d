// Tokens in tensors and in files.
#include "lookup_ops.h"

#include <fmt/core.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "../../framework/dispatch/apply.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/operators.h"
#include "../../framework/tensor/strings.h"

namespace cornu::layers {
namespace {

void expect_strings(const Tensor& x) {
  if (x.dtype() != DType::string)
    throw ValueError(fmt::format("expected a string tensor, found {} {}.", dtype_name(x.dtype()),
                                 x.shape().str()));
}

Tensor integers(const Tensor& x) {
  if (x.dtype() == DType::string)
    throw ValueError(fmt::format("expected integers, found strings of shape {}.", x.shape().str()));
  return ops::cast(x, DType::int64);
}

}  // namespace

template <>
Tensor numbers_of(const std::shared_ptr<LookupTable<std::string>>& table, const Tensor& x) {
  expect_strings(x);
  const TensorSpec spec{x.shape(), DType::int64};
  return apply_host(
      [table](std::span<const Tensor> in, std::span<const Tensor> out) {
        const std::vector<std::string>& strings = *in[0].string_table();
        const auto* index = static_cast<const int32_t*>(in[0].data());
        auto* number = out[0].mutable_data<int64_t>();
        // Each distinct string is looked up once. (A number is never below -1.)
        std::vector<int64_t> known(strings.size(), -2);
        for (int64_t i = 0; i < in[0].size(); ++i) {
          int64_t& n = known[static_cast<size_t>(index[i])];
          if (n == -2) n = table->number_of(strings[static_cast<size_t>(index[i])]);
          number[i] = n;
        }
      },
      {&x, 1}, {&spec, 1}, "look up strings")[0];
}

template <>
Tensor numbers_of(const std::shared_ptr<LookupTable<int64_t>>& table, const Tensor& given) {
  const Tensor x = integers(given);
  const TensorSpec spec{x.shape(), DType::int64};
  return apply_host(
      [table](std::span<const Tensor> in, std::span<const Tensor> out) {
        const auto* token = static_cast<const int64_t*>(in[0].data());
        auto* number = out[0].mutable_data<int64_t>();
        for (int64_t i = 0; i < in[0].size(); ++i) number[i] = table->number_of(token[i]);
      },
      {&x, 1}, {&spec, 1}, "look up integers")[0];
}

template <>
Tensor tokens_of(const std::shared_ptr<LookupTable<std::string>>& table, const Tensor& given) {
  const Tensor x = integers(given);
  const TensorSpec spec{x.shape(), DType::string};
  return apply_host(
      [table](std::span<const Tensor> in, std::span<const Tensor> out) {
        const auto* number = static_cast<const int64_t*>(in[0].data());
        auto* index = out[0].mutable_data<int32_t>();
        detail::StringCollector strings;
        for (int64_t i = 0; i < in[0].size(); ++i)
          index[i] = strings.add(table->token_of(number[i]));
        out[0].set_string_table(strings.table());
      },
      {&x, 1}, {&spec, 1}, "strings of numbers")[0];
}

template <>
Tensor tokens_of(const std::shared_ptr<LookupTable<int64_t>>& table, const Tensor& given) {
  const Tensor x = integers(given);
  const TensorSpec spec{x.shape(), DType::int64};
  return apply_host(
      [table](std::span<const Tensor> in, std::span<const Tensor> out) {
        const auto* number = static_cast<const int64_t*>(in[0].data());
        auto* token = out[0].mutable_data<int64_t>();
        for (int64_t i = 0; i < in[0].size(); ++i) token[i] = table->token_of(number[i]);
      },
      {&x, 1}, {&spec, 1}, "integers of numbers")[0];
}

template <>
std::vector<std::string> tokens_in(const Tensor& data) {
  expect_strings(data);
  return data.to_strings();
}

template <>
std::vector<int64_t> tokens_in(const Tensor& data) {
  return integers(data).to_vector<int64_t>();
}

template <>
std::vector<std::string> tokens_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

template <>
std::vector<int64_t> tokens_in(const std::string& text) {
  std::vector<int64_t> numbers;
  for (const std::string& line : tokens_in<std::string>(text)) {
    int64_t number = 0;
    const char* const end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(line.data(), end, number);
    if (error != std::errc() || rest != end)
      throw FileError(fmt::format("vocabulary: line {} is no integer: '{}'.", numbers.size() + 1,
                                  line.substr(0, 40)));
    numbers.push_back(number);
  }
  return numbers;
}

template <>
std::string lines_of(const std::vector<std::string>& tokens) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) text += (i ? "\n" : "") + tokens[i];
  return text;
}

template <>
std::string lines_of(const std::vector<int64_t>& tokens) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) text += (i ? "\n" : "") + std::to_string(tokens[i]);
  return text;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf() || file.peek() == std::ifstream::traits_type::eof()))
    throw FileError(fmt::format("vocabulary: the file '{}' cannot be read.", path));
  return text.str();
}

}  // namespace cornu::layers
