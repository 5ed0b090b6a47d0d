// Conversions of values, and what they say when a value is of the wrong kind.
#include "convert.h"

#include <fmt/core.h>

#include <cmath>

#include "core/cast.h"
#include "core/slices.h"
#include "detail/strong.h"
#include "numpy/joining.h"
#include "operators.h"

namespace cornu::detail {

namespace {
[[noreturn]] void mismatch(const char* wanted, const Value& v) {
  throw ValueError(fmt::format("expected {}, found {}", wanted, v.kind()));
}

// A nested list of numbers as a constant tensor: of `dtype` if it is given, else of bools only, of
// integers (int32), or else float32. One of texts as a string tensor.
Tensor constant(const Value& v, const OptionalDType& dtype = {}) {
  std::vector<double> numbers;
  std::vector<int64_t> wholes;  // the same without rounding, as long as all are integers
  std::vector<std::string> texts;
  Shape shape;
  bool bools = true, integers = true;
  const std::function<void(const Value&, int)> walk = [&](const Value& e, int depth) {
    if (e.is<Value::List>()) {
      const auto& list = e.get<Value::List>();
      if (shape.rank() == depth && numbers.empty() && texts.empty())
        shape.push_back(static_cast<int64_t>(list.size()));
      if (shape.rank() == depth) mismatch("a regular array", v);
      if (shape[depth] != static_cast<int64_t>(list.size())) mismatch("a regular array", v);
      for (const Value& x : list) walk(x, depth + 1);
    } else if (depth != shape.rank()) {
      mismatch("a regular array", v);
    } else if (e.is<std::string>() && numbers.empty()) {
      texts.push_back(e.get<std::string>());
    } else if (texts.empty() && (e.is_number() || e.is<bool>())) {
      bools &= e.is<bool>();
      integers &= !e.is<double>();
      numbers.push_back(e.is<bool>() ? e.get<bool>() : e.number());
      if (integers) wholes.push_back(e.is<bool>() ? e.get<bool>() : e.get<int64_t>());
    } else {
      mismatch(texts.empty() ? "numbers" : "text", e);
    }
  };
  walk(v, 0);
  if (!texts.empty()) return Tensor::strings(texts, shape);
  if (dtype && integers) return ops::cast(Tensor::from(wholes, shape), *dtype);
  const Tensor t = Tensor::from(numbers, shape);
  if (dtype) return ops::cast(t, *dtype);
  if (numbers.empty()) return ops::cast(t, DType::float32);
  return ops::cast(t, bools ? DType::boolean : integers ? DType::int32 : DType::float32);
}

bool holds_tensor(const Value& v) {
  if (v.is<Tensor>()) return true;
  if (!v.is<Value::List>()) return false;
  for (const Value& e : v.get<Value::List>())
    if (holds_tensor(e)) return true;
  return false;
}

// What an array holds that is written as Keras writes it into files: {"class_name": "__numpy__",
// "config": {"value": ..., "dtype": ...}}, or "__tensor__". Null for anything else.
const Value::Dict* stored_array(const Value& v) {
  if (!v.is<Value::Dict>()) return nullptr;
  const Value* kind = v.get<Value::Dict>().find("class_name");
  const Value* config = v.get<Value::Dict>().find("config");
  const bool is_array =
      kind && kind->is<std::string>() &&
      (kind->get<std::string>() == "__numpy__" || kind->get<std::string>() == "__tensor__");
  return is_array && config && config->is<Value::Dict>() ? &config->get<Value::Dict>() : nullptr;
}

// Whether v is a tensor whose values can be read.
bool is_readable(const Value& v) {
  return v.is<Tensor>() && v.get<Tensor>() && v.get<Tensor>().is_eager();
}
}  // namespace

Tensor FromValue<Tensor>::get(const Value& v) {
  if (v.is<Tensor>()) return v.get<Tensor>();
  if (v.is<int64_t>()) return Tensor(v.get<int64_t>());
  if (v.is<double>()) return Tensor(v.get<double>());
  if (v.is<bool>()) return Tensor(v.get<bool>());
  if (v.is_null()) return {};
  if (v.is<Value::List>() && holds_tensor(v)) {
    std::vector<Tensor> parts;
    for (const Value& e : v.get<Value::List>()) parts.push_back(get(e));
    return ops::stack(parts);
  }
  if (v.is<Value::List>()) return constant(v);
  if (const Value::Dict* array = stored_array(v)) {
    const Value *value = array->find("value"), *dtype = array->find("dtype");
    if (!value) throw ValueError("expected an array's value, found none");
    if (!dtype) return strong(get(*value));
    const auto wanted = from_value<DType>(*dtype);
    // At once in its dtype: 64 bits have more digits than what a list becomes by itself.
    const bool plain = !value->is_null() && !holds_tensor(*value);
    return strong(ops::cast(plain ? constant(*value, wanted) : get(*value), wanted));
  }
  mismatch("a tensor", v);
}
bool FromValue<bool>::get(const Value& v) {
  if (v.is<bool>()) return v.get<bool>();
  if (v.is<int64_t>()) return v.get<int64_t>() != 0;
  mismatch("true or false", v);
}
int64_t FromValue<int64_t>::get(const Value& v) {
  if (v.is<int64_t>()) return v.get<int64_t>();
  // Not NaN, nor infinite, nor out of range: those have no integer.
  if (const double* d = v.is<double>() ? &v.get<double>() : nullptr;
      d && std::abs(*d) < 9e18 && *d == std::trunc(*d))
    return static_cast<int64_t>(*d);
  if (is_readable(v)) return static_cast<int64_t>(v.get<Tensor>().item());
  mismatch("an integer", v);
}
double FromValue<double>::get(const Value& v) {
  if (v.is_number()) return v.number();
  if (v.is<bool>()) return v.get<bool>() ? 1 : 0;
  if (is_readable(v)) return v.get<Tensor>().item();
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
  if (is_readable(v)) return Shape(integers_of(v.get<Tensor>()));
  if (!v.is<Value::List>()) mismatch("a shape", v);
  for (const Value& e : v.get<Value::List>())
    shape.push_back(e.is_null() ? Shape::unknown : FromValue<int64_t>::get(e));
  return shape;
}
std::vector<Tensor> FromValue<std::vector<Tensor>>::get(const Value& v) {
  if (v.is<Tensor>() && v.get<Tensor>().rank() > 0) return ops::unstack(v.get<Tensor>());
  if (!v.is<Value::List>()) return {from_value<Tensor>(v)};
  std::vector<Tensor> tensors;
  for (const Value& e : v.get<Value::List>()) {
    if (e.is_null()) throw ValueError("expected a list of tensors, found None in it");
    tensors.push_back(from_value<Tensor>(e));
  }
  return tensors;
}

std::vector<int64_t> integers_of(const Tensor& t) {
  if (!t.is_eager() || t.rank() > 1) mismatch("integers", t);
  return t.to_vector<int64_t>();
}

std::vector<double> numbers_of(const Tensor& t) {
  if (!t.is_eager() || t.rank() > 1) mismatch("numbers", t);
  return t.to_vector<double>();
}

std::vector<std::vector<int64_t>> rows_of(const Tensor& t) {
  std::vector<std::vector<int64_t>> rows;
  for (const Tensor& row : ops::unstack(t)) rows.push_back(integers_of(row));
  return rows;
}

}  // namespace cornu::detail
