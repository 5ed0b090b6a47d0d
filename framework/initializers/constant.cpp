// Constant.
#include "constant.h"

#include "../ops/core/cast.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/manipulation.h"

namespace cornu::initializers {

Tensor ConstantInitializer::operator()(const Shape& shape, DType dtype) {
  if (const auto* array = std::get_if<Tensor>(&config.value.get()))
    return ops::cast(ops::broadcast_to(*array, shape), dtype);
  const Number number = std::get<Number>(config.value.get());
  if (number.is_whole()) return ops::full(shape, Tensor(static_cast<int64_t>(number)), dtype);
  return ops::full(shape, Tensor(static_cast<double>(number)), dtype);
}

void register_constant(Catalog& c) { c.add<ConstantInitializer>("keras.initializers.Constant"); }

}  // namespace cornu::initializers

namespace cornu::detail {

Value OptionCodec<initializers::ConstantValue>::encode(const initializers::ConstantValue& v) {
  if (const auto* array = std::get_if<Tensor>(&v.get())) return *array;
  return OptionCodec<Number>::encode(std::get<Number>(v.get()));
}

initializers::ConstantValue OptionCodec<initializers::ConstantValue>::decode(const Value& v) {
  // Files keep arrays as dictionaries.
  if (v.is<Tensor>() || v.is<Value::List>() || v.is<Value::Dict>()) return from_value<Tensor>(v);
  return OptionCodec<Number>::decode(v);
}

}  // namespace cornu::detail

namespace cornu {
template class Configured<initializers::ConstantInitializer, initializers::ConstantConfig,
                          Initializer>;
}
