// From a Value to the C++ type that a function or an option takes. Throws ValueError saying what
// was expected.
#pragma once
#include "../dispatch/value.h"

namespace cornu::detail {

template <class T>
struct FromValue;

template <class T>
T from_value(const Value& v) {
  return FromValue<T>::get(v);
}

template <>
struct FromValue<Tensor> {
  static Tensor get(const Value& v);
};
template <>
struct FromValue<bool> {
  static bool get(const Value& v);
};
template <>
struct FromValue<int64_t> {
  static int64_t get(const Value& v);
};
template <>
struct FromValue<int> {
  static int get(const Value& v) { return static_cast<int>(FromValue<int64_t>::get(v)); }
};
template <>
struct FromValue<double> {
  static double get(const Value& v);
};
template <>
struct FromValue<std::string> {
  static std::string get(const Value& v);
};
template <>
struct FromValue<DType> {
  static DType get(const Value& v);
};
template <>
struct FromValue<DTypeName> {
  static DTypeName get(const Value& v) { return from_value<DType>(v); }
};
template <>
struct FromValue<Shape> {
  static Shape get(const Value& v);
};
template <>
struct FromValue<Value> {
  static Value get(const Value& v) { return v; }
};
/// The numbers of a tensor with values, of at most one axis.
std::vector<int64_t> integers_of(const Tensor& t);
std::vector<double> numbers_of(const Tensor& t);
/// The rows of a tensor (rows, n) with values.
std::vector<std::vector<int64_t>> rows_of(const Tensor& t);
/// The tensors of a list; those along the first axis of a single tensor.
template <>
struct FromValue<std::vector<Tensor>> {
  static std::vector<Tensor> get(const Value& v);
};
template <class T>
struct FromValue<std::vector<T>> {
  static std::vector<T> get(const Value& v) {
    if (v.is<Tensor>()) {
      if constexpr (std::is_same_v<T, int64_t>) return integers_of(v.get<Tensor>());
      if constexpr (std::is_same_v<T, double>) return numbers_of(v.get<Tensor>());
      if constexpr (std::is_same_v<T, std::vector<int64_t>>)
        if (v.get<Tensor>().rank() == 2) return rows_of(v.get<Tensor>());
    }
    if (!v.is<Value::List>()) return {from_value<T>(v)};
    std::vector<T> out;
    for (const Value& e : v.get<Value::List>()) out.push_back(from_value<T>(e));
    return out;
  }
};
template <class T>
struct FromValue<std::optional<T>> {
  static std::optional<T> get(const Value& v) {
    if (v.is_null()) return std::nullopt;
    return from_value<T>(v);
  }
};
template <>
struct FromValue<OptionalDType> {
  static OptionalDType get(const Value& v) { return from_value<std::optional<DType>>(v); }
};

}  // namespace cornu::detail
