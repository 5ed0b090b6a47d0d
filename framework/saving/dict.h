// Reading and changing the dictionaries of a config, whose parts may be missing or of the wrong
// kind.
#pragma once
#include <string>
#include <string_view>

#include "../dispatch/value.h"

namespace cornu::saving::dict {

/// The text of this key; "" when there is none.
std::string text(const Value::Dict& dict, const std::string& key);
/// The dictionary of this key, or null.
const Value::Dict* find_dict(const Value::Dict& dict, const std::string& key);
/// The list of this key, or null.
const Value::List* find_list(const Value::Dict& dict, const std::string& key);
/// Replaces the entry of this key, or appends one.
void set(Value::Dict& dict, std::string_view key, Value value);
/// Removes the entry of this key if there is one.
void drop(Value::Dict& dict, std::string_view key);
/// Whether the key is missing, null, false or 0.
bool is_off(const Value::Dict& dict, const std::string& key);
/// {class_name, config} of an object, whose parts may be of the wrong kind or missing.
bool is_object(const Value& value);

}  // namespace cornu::saving::dict
