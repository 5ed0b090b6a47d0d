// Names of policies, and their form in files.
#include "dtype_policy.h"

#include "../config/configurable.h"

namespace cornu {

DTypePolicy::DTypePolicy(const std::string& name) : name_(name) {
  if (name.starts_with("mixed_")) {
    if (name != "mixed_float16" && name != "mixed_bfloat16")
      throw ValueError("dtype policy '" + name + "' is not known." +
                       did_you_mean(name, {"mixed_float16", "mixed_bfloat16"}));
    compute_ = dtype_of(name.substr(6));
  } else {
    variable_ = compute_ = dtype_of(name);
  }
}

namespace {
DTypePolicy& current() {
  thread_local DTypePolicy policy;
  return policy;
}
}  // namespace

const DTypePolicy& default_policy() { return current(); }

PolicyScope::PolicyScope(const DTypePolicy& policy) : previous_(current()) { current() = policy; }
PolicyScope::~PolicyScope() { current() = previous_; }

namespace detail {

Value OptionCodec<DTypePolicy>::encode(const DTypePolicy& v) {
  return Value::Dict{{"module", "keras"},
                     {"class_name", "DTypePolicy"},
                     {"config", Value::Dict{{"name", v.name()}}},
                     {"registered_name", Value()}};
}

DTypePolicy OptionCodec<DTypePolicy>::decode(const Value& v) {
  if (v.is_null()) return default_policy();
  if (v.is<std::string>()) return DTypePolicy(v.get<std::string>());
  if (v.is<Value::Dict>()) {
    const Value* class_name = find(v.get<Value::Dict>(), "class_name");
    const Value* config = find(v.get<Value::Dict>(), "config");
    const bool plain = class_name && class_name->is<std::string>() &&
                       (class_name->get<std::string>() == "DTypePolicy" || class_name->get<std::string>() == "Policy");
    if (plain && config && config->is<Value::Dict>())
      if (const Value* name = find(config->get<Value::Dict>(), "name"); name && name->is<std::string>())
        return DTypePolicy(name->get<std::string>());
    if (class_name && class_name->is<std::string>() && !plain)
      throw UnsupportedError("dtype policy " + class_name->get<std::string>() + " is not supported.");
  }
  throw ValueError("expected a dtype policy, found " + v.kind());
}

}  // namespace detail
}  // namespace cornu
