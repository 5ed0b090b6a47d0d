// Reading and changing the dictionaries of a config.
#include "dict.h"

#include <algorithm>

namespace cornu::saving::dict {

std::string text(const Value::Dict& dict, const std::string& key) {
  const Value* v = dict.find(key);
  return v && v->is<std::string>() ? v->get<std::string>() : std::string();
}

const Value::Dict* find_dict(const Value::Dict& dict, const std::string& key) {
  const Value* v = dict.find(key);
  return v && v->is<Value::Dict>() ? &v->get<Value::Dict>() : nullptr;
}

const Value::List* find_list(const Value::Dict& dict, const std::string& key) {
  const Value* v = dict.find(key);
  return v && v->is<Value::List>() ? &v->get<Value::List>() : nullptr;
}

void set(Value::Dict& dict, std::string_view key, Value value) {
  for (auto& [k, v] : dict)
    if (k == key) {
      v = std::move(value);
      return;
    }
  dict.emplace_back(std::string(key), std::move(value));
}

void drop(Value::Dict& dict, std::string_view key) {
  std::erase_if(dict, [&](const auto& entry) { return entry.first == key; });
}

bool is_off(const Value::Dict& dict, const std::string& key) {
  const Value* v = dict.find(key);
  return !v || v->is_null() || (v->is<bool>() && !v->get<bool>()) ||
         (v->is_number() && v->number() == 0);
}

bool is_object(const Value& value) {
  return value.is<Value::Dict>() && value.get<Value::Dict>().find("class_name") &&
         value.get<Value::Dict>().find("config");
}

}  // namespace cornu::saving::dict
