// String tensors: indices into a table that their storage holds.
#include "strings.h"

#include <fmt/core.h>

namespace cornu {
namespace detail {

int32_t StringCollector::add(std::string_view text) {
  const auto [place, fresh] =
      numbers_.try_emplace(std::string(text), static_cast<int32_t>(strings_->size()));
  if (fresh) strings_->push_back(place->first);
  return place->second;
}

StringTable StringCollector::table() { return std::move(strings_); }

StringTable merge_tables(std::span<const Tensor> tensors,
                         std::vector<std::vector<int32_t>>& indices) {
  indices.clear();
  bool same = true;
  for (const Tensor& t : tensors) same &= t.string_table() == tensors[0].string_table();
  if (same) return tensors[0].string_table();
  StringCollector collector;
  for (const Tensor& t : tensors) {
    const std::vector<std::string>& table = *t.string_table();
    // Only what is used: a batch may come from a large table.
    std::vector<int32_t> number(table.size(), -1);
    std::vector<int32_t>& mine = indices.emplace_back(static_cast<size_t>(t.size()));
    const int32_t* const from = static_cast<const int32_t*>(t.data());
    for (size_t i = 0; i < mine.size(); ++i) {
      int32_t& n = number[static_cast<size_t>(from[i])];
      if (n < 0) n = collector.add(table[static_cast<size_t>(from[i])]);
      mine[i] = n;
    }
  }
  return collector.table();
}

std::string quoted_strings(const Tensor& tensor) {
  const std::vector<std::string> values = tensor.to_strings();
  const size_t shown = std::min<size_t>(values.size(), 10);
  std::string text = ": [";
  for (size_t i = 0; i < shown; ++i) text += fmt::format("{}\"{}\"", i ? ", " : "", values[i]);
  return text + (shown < values.size() ? ", ...]>" : "]>");
}

}  // namespace detail

Tensor Tensor::strings(const std::vector<std::string>& values, const Shape& shape) {
  check_count(values.size(), shape);
  detail::StringCollector collector;
  Tensor t = empty(shape, DType::string);
  int32_t* const data = t.mutable_data<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) data[i] = collector.add(values[i]);
  t.set_string_table(collector.table());
  return t;
}

Tensor Tensor::strings(StringTable table, const std::vector<int32_t>& indices, const Shape& shape) {
  check_count(indices.size(), shape);
  if (!table) throw ValueError("Tensor::strings: the table is empty (nullptr).");
  Tensor t = empty(shape, DType::string);
  int32_t* const data = t.mutable_data<int32_t>();
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || static_cast<size_t>(indices[i]) >= table->size())
      throw ValueError(fmt::format("Tensor::strings: index {} is not in the table of {} strings.",
                                   indices[i], table->size()));
    data[i] = indices[i];
  }
  t.set_string_table(std::move(table));
  return t;
}

std::vector<std::string> Tensor::to_strings(SourceLine at) const {
  if (dtype() != DType::string)
    throw ValueError(
        fmt::format("Tensor::to_strings: expected a string tensor, found {} {}. Use to_vector.",
                    dtype_name(dtype()), shape().str()));
  const int32_t* const data = static_cast<const int32_t*>(host_data(at));
  std::vector<std::string> result(static_cast<size_t>(size()));
  const std::vector<std::string>& table = *string_table();
  for (size_t i = 0; i < result.size(); ++i) result[i] = table[static_cast<size_t>(data[i])];
  return result;
}

const StringTable& Tensor::string_table() const {
  if (!made()->storage || !impl_->storage->strings)
    throw StateError(fmt::format("This {} tensor of shape {} has no strings.", dtype_name(dtype()),
                                 shape().str()));
  return impl_->storage->strings;
}

void Tensor::set_string_table(StringTable table) const {
  made()->storage->strings = std::move(table);
}

}  // namespace cornu
