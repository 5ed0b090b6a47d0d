// Functions of nested shapes.
#include "shape_tree.h"

#include <algorithm>
#include <map>

#include "../../backend/error.h"

namespace cornu::tree {

bool is_shape(const Value& value) {
  if (!value.is<Value::List>()) return false;
  return std::ranges::all_of(value.get<Value::List>(), [](const Value& size) {
    return size.is_null() || size.is<int64_t>();
  });
}

Value map_shape_structure(const std::function<Value(const Shape&)>& func, const Value& structure) {
  if (is_shape(structure)) {
    Shape shape;
    for (const Value& size : structure.get<Value::List>())
      shape.push_back(size.is_null() ? Shape::unknown : size.get<int64_t>());
    return func(shape);
  }
  if (structure.is<Value::List>()) {
    Value::List list;
    for (const Value& part : structure.get<Value::List>())
      list.push_back(map_shape_structure(func, part));
    return list;
  }
  if (!structure.is<Value::Dict>())
    throw ValueError("map_shape_structure: expected shapes in lists and dictionaries, found " +
                     structure.kind() + ".");
  std::map<std::string, Value> sorted;
  for (const auto& [key, part] : structure.get<Value::Dict>()) sorted[key] = part;
  for (auto& [key, part] : sorted) part = map_shape_structure(func, part);
  Value::Dict dict = structure.get<Value::Dict>();
  for (auto& [key, part] : dict) part = sorted.at(key);
  return dict;
}

}  // namespace cornu::tree
