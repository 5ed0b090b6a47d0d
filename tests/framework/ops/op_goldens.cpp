// Reading the goldens of ops, and comparing.
#include "op_goldens.h"

#include <cornu/framework/ops/ops.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "catch.h"
#include "paths.h"

namespace cornu::test {
namespace {

using nlohmann::json;

double number_of(const json& j) {
  return j.is_string() ? std::stod(j.get<std::string>()) : j.get<double>();
}

Tensor tensor_of(const json& packed) {
  const DType dtype = dtype_of(packed[0].get<std::string>());
  const Shape shape(packed[1].get<std::vector<int64_t>>());
  if (is_float(dtype)) {
    std::vector<double> values;
    for (const json& v : packed[2]) values.push_back(number_of(v));
    return ops::cast(Tensor::from(values, shape), dtype);
  }
  return ops::cast(Tensor::from(packed[2].get<std::vector<int64_t>>(), shape), dtype);
}

Value argument_of(const json& j, const json& inputs) {
  if (j.is_object() && j.contains("@")) return tensor_of(inputs[j["@"].get<size_t>()]);
  if (j.is_object() && j.contains("slice")) {
    const auto bound = [&](int i) -> std::optional<int64_t> {
      if (j["slice"][i].is_null()) return {};
      return j["slice"][i].get<int64_t>();
    };
    return Slice{bound(0), bound(1), bound(2)};
  }
  if (j.is_object() && j.contains("number")) return number_of(j["number"]);
  if (j.is_object()) return Ellipsis{};
  if (j.is_array()) {
    Value::List list;
    for (const json& e : j) list.push_back(argument_of(e, inputs));
    return list;
  }
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  return {};
}

Arguments arguments_of(const json& c, const json& inputs) {
  Arguments arguments;
  for (const json& a : c["a"]) arguments.positional.push_back(argument_of(a, inputs));
  if (c.contains("k"))
    for (const auto& [name, v] : c["k"].items())
      arguments.named.emplace_back(name, argument_of(v, inputs));
  return arguments;
}

// The case as text, with the tensors that it takes.
std::string described(const json& c, const json& inputs) {
  std::string text = c.dump() + " of";
  for (const json& a : c["a"])
    if (a.is_object() && a.contains("@")) text += " " + inputs[a["@"].get<size_t>()].dump();
  return text;
}

// A few units in the last place; 16-bit results may be rounded on the way in one of the two.
double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::bfloat16:
      return 1.0 / 64;
    case DType::float16:
      return 1.0 / 512;
    case DType::float32:
      return 4e-6;
    default:
      return 1e-12;
  }
}

bool near(double got, double want, double allowed) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return std::abs(got - want) <= allowed;
}

void check_result(const Tensor& got, const json& want) {
  CHECK(dtype_name(got.dtype()) == want[0].get<std::string>());
  const Shape shape(want[1].get<std::vector<int64_t>>());
  CHECK(got.shape() == shape);
  if (got.shape() != shape) return;
  if (is_float(got.dtype())) {
    const auto values = got.to_vector<double>();
    // A GPU adds in other orders: where large terms cancel, what they are rounded by stays.
    double terms = 0;
    for (size_t i = 0; i < values.size() && !default_device().backend().on_host(); ++i)
      if (const double x = std::abs(number_of(want[2][i])); std::isfinite(x))
        terms = std::max(terms, x);
    for (size_t i = 0; i < values.size(); ++i) {
      const double expected = number_of(want[2][i]);
      const double size = 0.1 + std::max(terms, std::abs(expected));
      if (!near(values[i], expected, tolerance_of(got.dtype()) * size)) {
        INFO("element " << i << ": got " << values[i] << ", Keras has " << expected);
        CHECK(false);
      }
    }
  } else {
    CHECK(got.to_vector<int64_t>() == want[2].get<std::vector<int64_t>>());
  }
}

}  // namespace

const json& op_goldens(const std::string& file) {
  static std::map<std::string, json> files;
  json& goldens = files[file];
  if (goldens.is_null()) {
    std::ifstream stream(source_path("tests/data/" + file));
    goldens = json::parse(stream);
  }
  return goldens;
}

Nest OpCase::call(const std::function<Tensor(const Tensor&)>& map) const {
  Arguments mapped;
  for (const Value& v : arguments.positional) mapped.positional.push_back(v.map(map));
  for (const auto& [name, v] : arguments.named) mapped.named.emplace_back(name, v.map(map));
  return call_op(*info, mapped);
}

std::vector<Tensor> OpCase::tensors() const {
  std::vector<Tensor> all;
  for (const Value& v : arguments.positional) v.collect(all);
  for (const auto& [name, v] : arguments.named) v.collect(all);
  return all;
}

Nest OpCase::call_with(const std::vector<Tensor>& tensors) const {
  size_t next = 0;
  return call([&](const Tensor&) { return tensors.at(next++); });
}

bool OpCase::reads_values() const {
  const std::string& name = info->class_name;
  if (name == "Nonzero" || name == "Unique" || name == "Bincount") return true;
  if (name != "GetItem") return false;
  std::vector<Tensor> keys;
  arguments.positional[1].collect(keys);
  return std::any_of(keys.begin(), keys.end(),
                     [](const Tensor& k) { return k.dtype() == DType::boolean; });
}

std::vector<OpCase> op_cases(const std::string& section, const std::string& file) {
  const json& goldens = op_goldens(file);
  std::vector<OpCase> cases;
  for (const json& c : goldens[section]) {
    const std::string name = c["op"];
    const size_t dot = name.find('.');
    const OpInfo* info =
        op_catalog().find("keras.src.ops." + name.substr(0, dot), name.substr(dot + 1));
    INFO(name);
    REQUIRE(info);
    cases.push_back(
        {described(c, goldens["inputs"]), info, arguments_of(c, goldens["inputs"]), c["r"]});
  }
  return cases;
}

void check_op_goldens(const std::string& section, const std::string& file) {
  const std::vector<OpCase> cases = op_cases(section, file);
  REQUIRE(cases.size() > 10);
  for (const OpCase& c : cases) {
    INFO(c.text);
    std::vector<Tensor> results;
    const std::string error = error_of([&] { results = call_op(*c.info, c.arguments).flatten(); });
    CHECK(error == "no error");
    if (error != "no error") continue;
    CHECK(results.size() == c.results.size());
    if (results.size() != c.results.size()) continue;
    for (size_t i = 0; i < results.size(); ++i) check_result(results[i], c.results[i]);

    // Stand-ins without values give the same specs.
    if (c.reads_values()) continue;
    const auto abstract = [](const Tensor& t) {
      return t.is_weak() ? t : Tensor::abstract(t.shape(), t.dtype());
    };
    const std::vector<Tensor> inferred = c.call(abstract).flatten();
    REQUIRE(inferred.size() == results.size());
    for (size_t i = 0; i < results.size(); ++i)
      CHECK(inferred[i].spec().str() == results[i].spec().str());
  }
}

}  // namespace cornu::test
