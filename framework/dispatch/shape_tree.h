// keras.tree's functions of nested shapes.
#pragma once
#include "value.h"

namespace cornu::tree {

/// Whether it is one shape, a list of sizes and None, and not a nest of shapes.
bool is_shape(const Value& value);

/// func of each shape in lists and dictionaries, in a value of the same structure. A list of
/// numbers and None is a shape, other lists hold shapes:
///
///   tree::map_shape_structure([](const Shape& s) { return ops::zeros(s); },
///                             Value::Dict{{"a", Shape{2, 3}}, {"b", Value::List{Shape{4}}}})
///
/// has tensors, of which Value::nest makes a nest. Shapes in dictionaries are taken by sorted key.
/// Throws ValueError where there is something else than shapes.
Value map_shape_structure(const std::function<Value(const Shape&)>& func, const Value& structure);

}  // namespace cornu::tree
