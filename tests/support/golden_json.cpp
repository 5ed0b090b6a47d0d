// Goldens as values and tensors.
#include "golden_json.h"

#include <cornu/framework/config/configurable.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/ops/convert.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/operators.h>

#include <fstream>
#include <sstream>

#include "../paths.h"

namespace cornu::test {

Value golden_file(const std::string& name) {
  const std::string path = source_path("tests/data/" + name);
  std::ifstream file(path);
  if (!file) throw FileError(path + " cannot be read.");
  std::stringstream text;
  text << file.rdbuf();
  return cornu::parse_json(text.str(), path);
}

const Value* find_entry(const Value& dict, const std::string& key) {
  return detail::find(dict.get<Value::Dict>(), key);
}

const Value& entry(const Value& dict, const std::string& key) {
  const Value* const value = find_entry(dict, key);
  if (!value) throw ValueError("the recorded case has no '" + key + "'");
  return *value;
}

Tensor golden_tensor(const Value& value) {
  const auto values = detail::from_value<std::vector<double>>(entry(value, "values"));
  const auto shape = detail::from_value<std::vector<int64_t>>(entry(value, "shape"));
  const Value* const dtype = find_entry(value, "dtype");
  return ops::cast(Tensor::from(values, shape),
                   dtype ? detail::from_value<DType>(*dtype) : DType::float32);
}

std::vector<Tensor> golden_tensors(const Value& list) {
  std::vector<Tensor> result;
  for (const Value& v : list.get<Value::List>())
    result.push_back(v.is_null() ? Tensor() : golden_tensor(v));
  return result;
}

}  // namespace cornu::test
