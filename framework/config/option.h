// The types that options of layers, optimizers, losses and metrics have in their config structs.
#pragma once
#include <array>
#include <concepts>
#include <optional>

#include "../ops/convert.h"
#include "../ops/operators.h"
#include "../ops/optional_list.h"
#include "common_options.h"

namespace cornu {

namespace detail {
struct NoNumber {};
}  // namespace detail

/// An option without a default: leaving it out does not compile. Numbers are used as they are:
/// `config.units / 2`, `x * config.rate`, `ops::reshape(x, {-1, config.units})`.
template <class T>
struct Required
    : std::conditional_t<std::is_arithmetic_v<T>, number_options::Base, detail::NoNumber> {
  using OptionType = T;  ///< what it holds
  T value;               ///< as given

  Required() = delete;  // an option without a default is missing: name it in the braces
  template <std::floating_point U>
  requires std::integral<T> Required(U)  // an option is a fraction, where an integer is expected
  = delete;
  /// From anything else that T is made from.
  template <class U>
  requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, Required> &&
           !(std::integral<T> && std::floating_point<std::remove_cvref_t<U>>)) Required(U&& u)
      : value(std::forward<U>(u)) {}
  /// A list in braces: `.factor = {-0.1, 0.3}`. One element in braces is the element itself where T
  /// tells it from a list of one.
  template <class U = T>
  requires detail::ListLike<U> Required(std::initializer_list<detail::Element<U>> values)
      : value(detail::list_of<U>(values)) {}
  operator const T&() const { return value; }     ///< its value
  const T& operator*() const { return value; }    ///< its value
  const T* operator->() const { return &value; }  ///< its value
};

/// One number for each of N axes, or one for all: `.strides = 2` or `{2, 3}`.
template <size_t N>
struct Dims {
  std::array<int64_t, N> sizes{};  ///< by axis
  Dims() = default;
  /// One number for all axes.
  template <std::integral T>
  Dims(T value) {
    sizes.fill(value);
  }
  /// Throws ValueError unless there are N sizes or one.
  Dims(std::initializer_list<int64_t> values) {
    if (values.size() != N && values.size() != 1)
      throw ValueError("expected " + std::to_string(N) + " sizes or one for all, found " +
                       std::to_string(values.size()));
    size_t i = 0;
    for (size_t k = 0; k < N; ++k) sizes[k] = values.begin()[values.size() == 1 ? 0 : i++];
  }
  int64_t operator[](size_t i) const { return sizes[i]; }                    ///< of axis i
  std::vector<int64_t> vec() const { return {sizes.begin(), sizes.end()}; }  ///< N numbers
  friend bool operator==(const Dims&, const Dims&) = default;
};

namespace detail {

/// How an option is written to and read from a config.
template <class T>
struct OptionCodec {
  static Value encode(const T& v) { return Value(v); }
  static T decode(const Value& v) { return from_value<T>(v); }
};

template <class T>
struct OptionCodec<Required<T>> {
  static Value encode(const Required<T>& v) { return OptionCodec<T>::encode(v.value); }
  static Required<T> decode(const Value& v) { return OptionCodec<T>::decode(v); }
};

template <class T>
struct OptionCodec<std::optional<T>> {
  static Value encode(const std::optional<T>& v) {
    return v ? OptionCodec<T>::encode(*v) : Value();
  }
  static std::optional<T> decode(const Value& v) {
    if (v.is_null()) return std::nullopt;
    return OptionCodec<T>::decode(v);
  }
};

template <class T>
struct OptionCodec<OptionalList<T>> {
  static Value encode(const OptionalList<T>& v) { return OptionCodec<std::optional<T>>::encode(v); }
  static OptionalList<T> decode(const Value& v) { return OptionCodec<std::optional<T>>::decode(v); }
};

template <>
struct OptionCodec<OptionalDType> {
  static Value encode(const OptionalDType& v) { return v ? Value(*v) : Value(); }
  static OptionalDType decode(const Value& v) { return from_value<OptionalDType>(v); }
};

template <class T>
struct OptionCodec<std::vector<T>> {
  static Value encode(const std::vector<T>& v) {
    Value::List list;
    for (const T& e : v) list.push_back(OptionCodec<T>::encode(e));
    return list;
  }
  static std::vector<T> decode(const Value& v) {
    std::vector<T> result;
    if (v.is<Value::List>()) {
      for (const Value& e : v.get<Value::List>()) result.push_back(OptionCodec<T>::decode(e));
    } else if (!v.is_null()) {
      result.push_back(OptionCodec<T>::decode(v));
    }
    return result;
  }
};

template <size_t N>
struct OptionCodec<Dims<N>> {
  static Value encode(const Dims<N>& v) { return Value(v.vec()); }
  static Dims<N> decode(const Value& v) {
    const auto sizes = from_value<std::vector<int64_t>>(v);
    Dims<N> dims;
    if (sizes.size() != N && sizes.size() != 1)
      throw ValueError("expected " + std::to_string(N) + " sizes, found " +
                       std::to_string(sizes.size()));
    for (size_t i = 0; i < N; ++i) dims.sizes[i] = sizes[sizes.size() == 1 ? 0 : i];
    return dims;
  }
};

}  // namespace detail
}  // namespace cornu
