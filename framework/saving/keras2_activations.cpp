// hard_sigmoid of Keras 2, which Keras 3 computes otherwise.
#include <fmt/core.h>

#include "../../backend/log.h"
#include "dict.h"
#include "version_adapters.h"

namespace cornu::saving {
namespace {

constexpr int64_t keras2 = 2;

bool names_hard_sigmoid(const Value& v) {
  if (v.is<std::string>()) return v.get<std::string>() == "hard_sigmoid";
  if (!v.is<Value::Dict>()) return false;
  const auto& object = v.get<Value::Dict>();
  return dict::text(object, "class_name") == "function" &&
         dict::text(object, "config") == "hard_sigmoid";
}

bool is_versioned(const Value& v) {
  if (!names_hard_sigmoid(v) || !v.is<Value::Dict>()) return false;
  const Value* version = v.get<Value::Dict>().find("version");
  return version && version->is<int64_t>() && version->get<int64_t>() == keras2;
}

bool is_activation(const std::string& key) { return key.ends_with("activation"); }

bool holds_versioned(const Value& v) {
  if (is_versioned(v)) return true;
  if (v.is<Value::List>())
    for (const Value& e : v.get<Value::List>())
      if (holds_versioned(e)) return true;
  if (v.is<Value::Dict>())
    for (const auto& [key, e] : v.get<Value::Dict>())
      if (holds_versioned(e)) return true;
  return false;
}

Value versioned(const Value& v) {
  if (v.is<Value::List>()) {
    Value::List list;
    for (const Value& e : v.get<Value::List>()) list.push_back(versioned(e));
    return list;
  }
  if (!v.is<Value::Dict>()) return v;
  Value::Dict result;
  for (const auto& [key, e] : v.get<Value::Dict>()) {
    if (is_activation(key) && names_hard_sigmoid(e))
      result.emplace_back(key, Value::Dict{{"module", "builtins"},
                                           {"class_name", "function"},
                                           {"config", "hard_sigmoid"},
                                           {"registered_name", "function"},
                                           {"version", keras2}});
    else
      result.emplace_back(key, versioned(e));
  }
  return result;
}

}  // namespace

bool is_keras2(const std::string& version) {
  return version.starts_with("1.") || version.starts_with("2.");
}

Value keep_keras2_activations(const Value& model) { return versioned(model); }

void warn_of_keras2_activations(const Value& model, const std::string& name) {
  if (holds_versioned(model))
    warn_once(fmt::format(
        "Model '{}' computes the hard_sigmoid of Keras 2, clip(0.2 x + 0.5, 0, 1), and so does its "
        "file in Cornu. Keras 3 reads it as its own, clip(x / 6 + 0.5, 0, 1), and computes other "
        "numbers.",
        name));
}

}  // namespace cornu::saving
