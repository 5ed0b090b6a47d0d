// Reading whole numbers from arguments.
#include "integers.h"

#include "convert.h"
#include "operators.h"

#include <fmt/core.h>

namespace cornu {

int64_t Integers::number() const {
  if (numbers_.size() != 1)
    throw ValueError(fmt::format("expected one whole number, found a list of {}", numbers_.size()));
  return numbers_[0];
}

Integers::operator Value() const {
  if (single_) return numbers_[0];
  return Value::List(numbers_.begin(), numbers_.end());
}

namespace detail {
namespace {

std::vector<int64_t> values_of(const Tensor& t) {
  if (!t.is_eager())
    throw UnsupportedError(
        "The shape of the result follows from the values of an argument, which are not known in a "
        "graph. Give numbers "
        "instead of a tensor.");
  if (is_float(t.dtype()))
    throw ValueError(
        fmt::format("expected whole numbers, found a tensor of {}", dtype_name(t.dtype())));
  return t.to_vector<int64_t>();
}

}  // namespace

Integers FromValue<Integers>::get(const Value& v) {
  if (v.is<Tensor>()) {
    const Tensor& t = v.get<Tensor>();
    if (t.rank() == 0) return values_of(t)[0];
    return values_of(t);
  }
  if (!v.is<Value::List>()) return from_value<int64_t>(v);
  std::vector<int64_t> numbers;
  for (const Value& e : v.get<Value::List>())
    numbers.push_back(e.is<Tensor>() ? values_of(e.get<Tensor>()).at(0) : from_value<int64_t>(e));
  return numbers;
}

}  // namespace detail
}  // namespace cornu
