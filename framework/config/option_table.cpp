// What all config structs share of reading and writing their options.
#include "option_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "configurable.h"

namespace cornu::detail {

template struct ErasedOption<bool>;
template struct ErasedOption<int64_t>;
template struct ErasedOption<double>;
template struct ErasedOption<std::string>;
template struct ErasedOption<std::optional<bool>>;
template struct ErasedOption<std::optional<int64_t>>;
template struct ErasedOption<std::optional<double>>;
template struct ErasedOption<std::optional<std::string>>;
template struct ErasedOption<OptionalDType>;
template struct ErasedOption<std::vector<int64_t>>;
template struct ErasedOption<std::vector<double>>;
template struct ErasedOption<Dims<1>>;
template struct ErasedOption<Dims<2>>;
template struct ErasedOption<Dims<3>>;

Value::Dict encode_options(std::span<const OptionRow> rows, const void* const* options) {
  Value::Dict dict;
  dict.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    dict.emplace_back(std::string(rows[i].name), rows[i].encode(options[i]));
  return dict;
}

void decode_options(std::span<const OptionRow> rows, void* const* options,
                    const Value::Dict& dict) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const Value* value = find(dict, std::string(rows[i].name));
    if (!value) continue;
    try {
      rows[i].decode(*value, options[i]);
    } catch (const ValueError&) {
      rethrow_for_option(rows[i].name);
    }
  }
  for (const auto& [key, value] : dict) {
    const auto is_key = [&key = key](const OptionRow& row) { return row.name == key; };
    if (std::any_of(rows.begin(), rows.end(), is_key)) continue;
    std::vector<std::string> known;
    for (const OptionRow& row : rows) known.emplace_back(row.name);
    unknown_key(key, known);
  }
}

bool has_all_options(std::span<const OptionRow> rows, const Value::Dict& dict) {
  return std::all_of(rows.begin(), rows.end(),
                     [&](const OptionRow& row) { return find(dict, std::string(row.name)); });
}

const Value& required_option(const Value::Dict& dict, std::string_view name) {
  const Value* value = find(dict, std::string(name));
  if (!value) missing_key(std::string(name));
  return *value;
}

void rethrow_for_option(std::string_view name) {
  try {
    throw;
  } catch (const ValueError& e) {
    bad_key(std::string(name), e.what());
  }
}

}  // namespace cornu::detail
