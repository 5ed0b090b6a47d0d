// A number option that stays in files what it was: 1000 an integer, 1000.0 a float.
#pragma once
#include <concepts>

#include "../config/option.h"

namespace cornu {

/// Any number: `.decay_steps = 1000` or `1e3`. Truth values count as 0 and 1.
class Number {
 public:
  /// An integer type or bool makes a whole number, a float type a float.
  template <class T>
  requires std::is_arithmetic_v<T> Number(T value)
      : value_(static_cast<double>(value)), whole_(std::integral<T>) {}
  operator double() const { return value_; }  ///< its value
  /// Whether it was given as an integer.
  bool is_whole() const { return whole_; }

 private:
  double value_;
  bool whole_;
};

namespace detail {
template <>
struct OptionCodec<Number> {
  static Value encode(const Number& v) {
    return v.is_whole() ? Value(static_cast<int64_t>(static_cast<double>(v)))
                        : Value(static_cast<double>(v));
  }
  static Number decode(const Value& v) {
    if (v.is<bool>()) return v.get<bool>();
    if (v.is<int64_t>()) return v.get<int64_t>();
    return from_value<double>(v);
  }
};
}  // namespace detail

}  // namespace cornu
