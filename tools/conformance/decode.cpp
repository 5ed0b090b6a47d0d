// Encoded values: {"$tensor": "in/0"}, {"$tuple": [...]} and others.
#include "decode.h"

#include <cornu/framework/config/configurable.h>
#include <cornu/framework/ops/convert.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/tensor/complex.h>
#include <fmt/core.h>

#include <limits>

namespace cornu::conformance {
namespace {

// N of "in/N".
int number_of(const Value& reference) {
  const std::string& text = reference.get<std::string>();
  return std::stoi(text.substr(text.find('/') + 1));
}

double special_float(const std::string& name) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  if (name == "inf") return endless;
  if (name == "-inf") return -endless;
  return std::numeric_limits<double>::quiet_NaN();
}

Slice slice_of(const Value::List& bounds) {
  auto bound = [&](size_t i) {
    return detail::from_value<std::optional<int64_t>>(i < bounds.size() ? bounds[i] : Value());
  };
  return {bound(0), bound(1), bound(2)};
}

Value::List decode_list(const Value& list, const Inputs& inputs) {
  Value::List result;
  for (const Value& v : list.get<Value::List>()) result.push_back(decode(v, inputs));
  return result;
}

bool equal_scalars(const Value& found, const Value& expected) {
  if (expected.is<std::string>() || found.is<std::string>())
    return expected.is<std::string>() && found.is<std::string>() &&
           expected.get<std::string>() == found.get<std::string>();
  if (expected.is_null()) return found.is_null();
  auto number = [](const Value& v) { return v.is<bool>() ? v.get<bool>() : v.number(); };
  const double want = number(expected);
  if (found.is<Tensor>())
    return found.get<Tensor>().size() == 1 && found.get<Tensor>().item() == want;
  return (found.is_number() || found.is<bool>()) && number(found) == want;
}

void match(const Value& structure, const Value& found, const std::string& place,
           std::map<int, Value>& outputs) {
  auto mismatch = [&](const std::string& expected) {
    throw ValueError(fmt::format("result{}: found {}, expected {}", place, found.kind(), expected));
  };
  if (structure.is<Value::Dict>()) {
    if (const Value* reference = find(structure, "$tensor")) {
      outputs.emplace(number_of(*reference), found);
      return;
    }
    if (const Value* tuple = find(structure, "$tuple")) {
      match(*tuple, found, place, outputs);
      return;
    }
    if (find(structure, "$float")) {
      if (!equal_scalars(found, decode(structure, {}))) mismatch("another number");
      return;
    }
    const auto& entries = structure.get<Value::Dict>();
    if (!found.is<Value::Dict>() || found.get<Value::Dict>().size() != entries.size())
      mismatch(fmt::format("a dictionary of {}", entries.size()));
    for (const auto& [key, v] : entries) {
      const Value* element = find(found, key);
      if (!element) mismatch("the key '" + key + "'");
      match(v, *element, place + "['" + key + "']", outputs);
    }
    return;
  }
  if (structure.is<Value::List>()) {
    const auto& list = structure.get<Value::List>();
    if (!found.is<Value::List>() || found.get<Value::List>().size() != list.size())
      mismatch(fmt::format("a list of {}", list.size()));
    for (size_t i = 0; i < list.size(); ++i)
      match(list[i], found.get<Value::List>()[i], fmt::format("{}[{}]", place, i), outputs);
    return;
  }
  if (!equal_scalars(found, structure)) mismatch(structure.kind() + " of another value");
}

}  // namespace

const Value* find(const Value& dict, const std::string& key) {
  return dict.is<Value::Dict>() ? detail::find(dict.get<Value::Dict>(), key) : nullptr;
}

const Value& entry(const Value& dict, const std::string& key) {
  const Value* v = find(dict, key);
  if (!v) throw ValueError("the case has no '" + key + "'");
  return *v;
}

Value decode(const Value& encoded, const Inputs& inputs) {
  if (encoded.is<Value::List>()) return decode_list(encoded, inputs);
  if (!encoded.is<Value::Dict>()) return encoded;
  if (const Value* reference = find(encoded, "$tensor")) {
    const Value& input = inputs.at(number_of(*reference));
    if (const Value* mask = find(encoded, "$mask"))
      return input.get<Tensor>().with_mask(inputs.at(number_of(*mask)).get<Tensor>());
    return input;
  }
  if (const Value* tuple = find(encoded, "$tuple")) return decode_list(*tuple, inputs);
  if (const Value* slice = find(encoded, "$slice")) return slice_of(slice->get<Value::List>());
  if (find(encoded, "$ellipsis")) return Ellipsis{};
  if (const Value* name = find(encoded, "$float")) return special_float(name->get<std::string>());
  if (const Value* parts = find(encoded, "$complex")) {
    const auto& list = parts->get<Value::List>();
    return Tensor(std::complex<float>(static_cast<float>(decode(list.at(0), inputs).number()),
                                      static_cast<float>(decode(list.at(1), inputs).number())));
  }
  Value::Dict dict;
  for (const auto& [key, v] : encoded.get<Value::Dict>()) dict.emplace_back(key, decode(v, inputs));
  return dict;
}

Arguments decode_call(const Value& call, const Inputs& inputs) {
  Arguments arguments;
  arguments.positional = decode_list(entry(call, "args"), inputs);
  for (const auto& [key, v] : entry(call, "kwargs").get<Value::Dict>())
    arguments.named.emplace_back(key, decode(v, inputs));
  return arguments;
}

std::map<int, Value> match_outputs(const Value& structure, const Value& result) {
  std::map<int, Value> outputs;
  match(structure, result, "", outputs);
  return outputs;
}

}  // namespace cornu::conformance
