// Walking values.
#include "value.h"

#include <algorithm>

namespace cornu {

const Value* Value::Dict::find(const std::string& key) const {
  for (const auto& [k, value] : *this)
    if (k == key) return &value;
  return nullptr;
}

Value* Value::Dict::find(const std::string& key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

const Value& Value::Dict::operator[](const std::string& key) const& {
  if (const Value* value = find(key)) return *value;
  std::vector<std::string> keys;
  for (const auto& entry : *this) keys.push_back(entry.first);
  std::string known;
  for (const std::string& k : keys) known += (known.empty() ? "" : ", ") + k;
  throw ValueError("there is no key '" + key + "'." + did_you_mean(key, keys) + " " +
                   (keys.empty() ? "The dictionary is empty." : "There are " + known + ".") +
                   " find(key) gives null where there is none, and set(key, value) adds one.");
}

Value& Value::Dict::operator[](const std::string& key) & {
  return const_cast<Value&>(std::as_const(*this)[key]);
}

Value Value::Dict::operator[](const std::string& key) && {
  return std::move((*this)[key]);  // *this is an lvalue
}

void Value::Dict::set(const std::string& key, Value value) {
  if (Value* old = find(key))
    *old = std::move(value);
  else
    emplace_back(key, std::move(value));
}

const Value& Value::entry(int64_t place) const {
  const List& list = get<List>();
  const auto size = static_cast<int64_t>(list.size());
  if (place < -size || place >= size)
    throw ValueError("there is no element " + std::to_string(place) + " in a list of " +
                     std::to_string(size) + ".");
  return list[static_cast<size_t>(place < 0 ? place + size : place)];
}

Value::Value(const Shape& shape) {
  List list;
  for (int64_t size : shape) list.push_back(size == Shape::unknown ? Value() : Value(size));
  v_ = std::move(list);
}

Value::Value(const Nest& nest) {
  if (nest.is_tensor()) {
    if (nest.tensor()) v_ = nest.tensor();
  } else if (nest.is_list()) {
    v_ = List(nest.list().begin(), nest.list().end());
  } else {
    Dict dict;
    for (const auto& [key, entry] : nest.entries()) dict.emplace_back(key, entry);
    v_ = std::move(dict);
  }
}

namespace {

template <class Entries>
std::vector<size_t> sorted(const Entries& entries) {
  std::vector<size_t> order(entries.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return entries[a].first < entries[b].first; });
  return order;
}

}  // namespace

void Value::collect(std::vector<Tensor>& out) const {
  if (is<Tensor>()) {
    out.push_back(get<Tensor>());
  } else if (is<List>()) {
    for (const Value& v : get<List>()) v.collect(out);
  } else if (is<Dict>()) {
    for (size_t i : sorted(get<Dict>())) get<Dict>()[i].second.collect(out);
  }
}

Value Value::map(const std::function<Tensor(const Tensor&)>& f) const {
  if (is<Tensor>()) return f(get<Tensor>());
  if (is<List>()) {
    List list;
    for (const Value& v : get<List>()) list.push_back(v.map(f));
    return list;
  }
  if (is<Dict>()) {
    Dict dict = get<Dict>();
    for (size_t i : sorted(get<Dict>())) dict[i].second = dict[i].second.map(f);
    return dict;
  }
  return *this;
}

Nest Value::nest() const {
  if (is<Tensor>()) return get<Tensor>();
  if (is<int64_t>()) return Tensor(get<int64_t>());
  if (is<double>()) return Tensor(get<double>());
  if (is<bool>()) return Tensor(get<bool>());
  if (is<std::string>()) return Tensor::strings({get<std::string>()}, {});
  if (is_null()) return {};
  if (is<List>()) {
    Nest::List list;
    for (const Value& v : get<List>()) list.push_back(v.nest());
    return list;
  }
  if (is<Dict>()) {
    Nest::Dict dict;
    for (const auto& [key, v] : get<Dict>()) dict.emplace_back(key, v.nest());
    return Nest::dict(std::move(dict));
  }
  throw ValueError("Expected tensors, found " + kind() + ".");
}

namespace {
// In Variant's order.
constexpr const char* kinds[] = {"nothing",  "a bool", "an integer",   "a number", "text",
                                 "a tensor", "a list", "a dictionary", "a slice",  "an ellipsis"};
}  // namespace

std::string Value::kind() const { return kinds[v_.index()]; }

void Value::throw_other_kind(size_t wanted) const {
  const bool number = is_number() && std::string_view(kinds[wanted]).ends_with("number");
  throw ValueError(std::string("expected ") + kinds[wanted] + ", found " + kind() +
                   (number ? ", which number() reads." : "."));
}

}  // namespace cornu
