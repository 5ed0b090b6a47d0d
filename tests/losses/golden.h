// Reading tensors and configs of golden files.
#pragma once
#include <cornu/framework/config/configurable.h>
#include <cornu/framework/ops/core/cast.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "paths.h"
#include "support/matchers.h"

namespace cornu::test {

inline nlohmann::json read_json(const std::string& relative) {
  std::ifstream file(source_path(relative));
  return nlohmann::json::parse(file);
}

inline Value value_of(const nlohmann::json& j) {
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  if (j.is_array()) {
    Value::List list;
    for (const auto& e : j) list.push_back(value_of(e));
    return list;
  }
  if (j.is_object()) {
    Value::Dict dict;
    for (const auto& [key, e] : j.items()) dict.emplace_back(key, value_of(e));
    return dict;
  }
  return {};
}

/// {"shape", "dtype", "values"} as a tensor.
inline Tensor tensor_of(const nlohmann::json& j) {
  const Shape shape(j.at("shape").get<std::vector<int64_t>>());
  const Tensor wide = Tensor::from(j.at("values").get<std::vector<double>>(), shape);
  return ops::cast(wide, dtype_of(j.at("dtype").get<std::string>()));
}

}  // namespace cornu::test
