// Reading the goldens of ops, and comparing.
#include "op_goldens.h"

#include <cornu/framework/ops/catalog.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <fstream>

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

Value argument_of(const json& j) {
  if (j.is_object() && j.contains("@"))
    return tensor_of(op_goldens()["inputs"][j["@"].get<size_t>()]);
  if (j.is_object() && j.contains("slice")) {
    const auto bound = [&](int i) -> std::optional<int64_t> {
      if (j["slice"][i].is_null()) return {};
      return j["slice"][i].get<int64_t>();
    };
    return Slice{bound(0), bound(1), bound(2)};
  }
  if (j.is_object()) return Ellipsis{};
  if (j.is_array()) {
    Value::List list;
    for (const json& e : j) list.push_back(argument_of(e));
    return list;
  }
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  return {};
}

Arguments arguments_of(const json& c) {
  Arguments arguments;
  for (const json& a : c["a"]) arguments.positional.push_back(argument_of(a));
  if (c.contains("k"))
    for (const auto& [name, v] : c["k"].items()) arguments.named.emplace_back(name, argument_of(v));
  return arguments;
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

bool near(double got, double want, double tolerance) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return std::abs(got - want) <= tolerance * (0.1 + std::abs(want));
}

void check_result(const Tensor& got, const json& want) {
  CHECK(dtype_name(got.dtype()) == want[0].get<std::string>());
  REQUIRE(got.shape() == Shape(want[1].get<std::vector<int64_t>>()));
  if (is_float(got.dtype())) {
    const auto values = got.to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i) {
      const double expected = number_of(want[2][i]);
      if (!near(values[i], expected, tolerance_of(got.dtype()))) {
        INFO("element " << i << ": got " << values[i] << ", Keras has " << expected);
        CHECK(false);
      }
    }
  } else {
    CHECK(got.to_vector<int64_t>() == want[2].get<std::vector<int64_t>>());
  }
}

}  // namespace

const json& op_goldens() {
  static const json goldens = [] {
    std::ifstream file(source_path("tests/data/ops.json"));
    return json::parse(file);
  }();
  return goldens;
}

void check_op_goldens(const std::string& section) {
  const json& cases = op_goldens()[section];
  REQUIRE(cases.size() > 10);
  for (const json& c : cases) {
    std::string described = c.dump() + " of";
    for (const json& a : c["a"])
      if (a.is_object() && a.contains("@"))
        described += " " + op_goldens()["inputs"][a["@"].get<size_t>()].dump();
    INFO(described);
    const std::string name = c["op"];
    const size_t dot = name.find('.');
    const OpInfo* info =
        op_catalog().find("keras.src.ops." + name.substr(0, dot), name.substr(dot + 1));
    REQUIRE(info);
    const Arguments arguments = arguments_of(c);
    std::vector<Tensor> results;
    const std::string error = error_of([&] { results = call_op(*info, arguments).flatten(); });
    CHECK(error == "");
    if (!error.empty()) continue;
    REQUIRE(results.size() == c["r"].size());
    for (size_t i = 0; i < results.size(); ++i) check_result(results[i], c["r"][i]);

    // Stand-ins without values give the same specs.
    const auto abstract = [](const Tensor& t) {
      return t.is_weak() ? t : Tensor::abstract(t.shape(), t.dtype());
    };
    Arguments stand_ins;
    for (const Value& v : arguments.positional) stand_ins.positional.push_back(v.map(abstract));
    for (const auto& [name, v] : arguments.named)
      stand_ins.named.emplace_back(name, v.map(abstract));
    const std::vector<Tensor> inferred = call_op(*info, stand_ins).flatten();
    REQUIRE(inferred.size() == results.size());
    for (size_t i = 0; i < results.size(); ++i)
      CHECK(inferred[i].spec().str() == results[i].spec().str());
  }
}

}  // namespace cornu::test
