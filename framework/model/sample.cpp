// Samples from a model's Inputs, or from the shapes that it was built for.
#include "sample.h"

namespace cornu {
namespace {

bool is_shape(const Value::List& list) {
  return std::none_of(list.begin(), list.end(),
                      [](const Value& v) { return v.is<Value::List>() || v.is<Value::Dict>(); });
}

// From shapes nested as the inputs are.
Nest spec_of(const Value& shapes) {
  if (shapes.is<Value::Dict>()) {
    Nest::Dict entries;
    for (const auto& [key, value] : shapes.get<Value::Dict>())
      entries.emplace_back(key, spec_of(value));
    return Nest::dict(std::move(entries));
  }
  if (!shapes.is<Value::List>() || shapes.get<Value::List>().empty()) return {};
  const auto& list = shapes.get<Value::List>();
  if (is_shape(list)) return Tensor::abstract(detail::from_value<Shape>(shapes), DType::float32);
  Nest::List elements;
  for (const Value& v : list) elements.push_back(spec_of(v));
  return elements;
}

}  // namespace

Nest sample_spec(const Model& model, int64_t unknown) {
  Nest spec = model.input_spec();
  if (spec.empty()) {
    const Value::Dict built = model.get_build_config();
    if (const Value* shapes = detail::find(built, "input_shape")) spec = spec_of(*shapes);
  }
  if (spec.empty()) return spec;
  return spec.map([&](const Tensor& t) {
    if (!t) return t;
    Shape shape = t.shape();
    for (int i = 0; i < shape.rank(); ++i)
      if (i == 0 || shape[i] == Shape::unknown) shape[i] = i == 0 ? 1 : unknown;
    return Tensor::abstract(shape, t.dtype());
  });
}

}  // namespace cornu
