// Conversions of values, and what they say when a value is of the wrong kind.
#include "convert.h"

#include <fmt/core.h>

#include "../ops/core.h"

namespace cornu::detail {

namespace {
[[noreturn]] void mismatch(const char* wanted, const Value& v) {
  throw ValueError(fmt::format("expected {}, found {}", wanted, v.kind()));
}

// A nested list of numbers as a constant tensor.
Tensor constant(const Value& v) {
  std::vector<double> numbers;
  Shape shape;
  bool integers = true;
  const std::function<void(const Value&, int)> walk = [&](const Value& e, int depth) {
    if (e.is<Value::List>()) {
      const auto& list = e.get<Value::List>();
      if (shape.rank() == depth) shape.push_back(static_cast<int64_t>(list.size()));
      if (shape[depth] != static_cast<int64_t>(list.size())) mismatch("a regular array", v);
      for (const Value& x : list) walk(x, depth + 1);
    } else if (e.is_number() || e.is<bool>()) {
      integers &= !e.is<double>();
      numbers.push_back(e.is<bool>() ? e.get<bool>() : e.number());
    } else {
      mismatch("numbers", e);
    }
  };
  walk(v, 0);
  Tensor t = Tensor::from(numbers, shape);
  return ops::cast(t, integers ? DType::int32 : DType::float32);
}
}  // namespace

Tensor FromValue<Tensor>::get(const Value& v) {
  if (v.is<Tensor>()) return v.get<Tensor>();
  if (v.is<int64_t>()) return Tensor(v.get<int64_t>());
  if (v.is<double>()) return Tensor(v.get<double>());
  if (v.is<bool>()) return Tensor(v.get<bool>());
  if (v.is_null()) return {};
  if (v.is<Value::List>()) return constant(v);
  mismatch("a tensor", v);
}
bool FromValue<bool>::get(const Value& v) {
  if (v.is<bool>()) return v.get<bool>();
  if (v.is<int64_t>()) return v.get<int64_t>() != 0;
  mismatch("true or false", v);
}
int64_t FromValue<int64_t>::get(const Value& v) {
  if (v.is<int64_t>()) return v.get<int64_t>();
  if (v.is<double>() && v.get<double>() == static_cast<double>(static_cast<int64_t>(v.get<double>())))
    return static_cast<int64_t>(v.get<double>());
  mismatch("an integer", v);
}
double FromValue<double>::get(const Value& v) {
  if (v.is_number()) return v.number();
  mismatch("a number", v);
}
std::string FromValue<std::string>::get(const Value& v) {
  if (v.is<std::string>()) return v.get<std::string>();
  mismatch("text", v);
}
DType FromValue<DType>::get(const Value& v) {
  if (v.is<std::string>()) return dtype_of(v.get<std::string>());
  mismatch("the name of a dtype", v);
}
Shape FromValue<Shape>::get(const Value& v) {
  Shape shape;
  if (v.is<int64_t>()) {
    shape.push_back(v.get<int64_t>());
    return shape;
  }
  if (!v.is<Value::List>()) mismatch("a shape", v);
  for (const Value& e : v.get<Value::List>())
    shape.push_back(e.is_null() ? Shape::unknown : FromValue<int64_t>::get(e));
  return shape;
}
}  // namespace cornu::detail
