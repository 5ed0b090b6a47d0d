// Options that are numbers, such as Required<double>: what is made of numbers is made of them too,
// and among themselves they are computed with as their numbers are.
#pragma once
#include <concepts>
#include <ostream>
#include <type_traits>

namespace cornu {

namespace number_options {
/// Base of those options; it brings the operators here to them.
struct Base {};
}  // namespace number_options

namespace detail {

/// An option whose `value` is a number, or a bool.
template <class A>
concept NumberOption = std::is_arithmetic_v<typename A::OptionType>;
/// One whose value is a whole number.
template <class A>
concept IntegerOption =
    std::integral<typename A::OptionType> && !std::same_as<typename A::OptionType, bool>;

}  // namespace detail

// Without these, `config.units * config.size` could as well be a product of two tensors.
namespace number_options {

using detail::NumberOption;

/// @{
/// As of the numbers.
template <NumberOption A>
auto operator+(const A& a) {
  return +a.value;
}
template <NumberOption A>
auto operator-(const A& a) {
  return -a.value;
}
template <NumberOption A>
auto operator~(const A& a) {
  return ~a.value;
}
template <NumberOption A, NumberOption B>
auto operator+(const A& a, const B& b) {
  return a.value + b.value;
}
template <NumberOption A, NumberOption B>
auto operator-(const A& a, const B& b) {
  return a.value - b.value;
}
template <NumberOption A, NumberOption B>
auto operator*(const A& a, const B& b) {
  return a.value * b.value;
}
template <NumberOption A, NumberOption B>
auto operator/(const A& a, const B& b) {
  return a.value / b.value;
}
template <NumberOption A, NumberOption B>
auto operator%(const A& a, const B& b) {
  return a.value % b.value;
}
template <NumberOption A, NumberOption B>
auto operator&(const A& a, const B& b) {
  return a.value & b.value;
}
template <NumberOption A, NumberOption B>
auto operator|(const A& a, const B& b) {
  return a.value | b.value;
}
template <NumberOption A, NumberOption B>
auto operator^(const A& a, const B& b) {
  return a.value ^ b.value;
}
template <NumberOption A, NumberOption B>
bool operator==(const A& a, const B& b) {
  return a.value == b.value;
}
template <NumberOption A, NumberOption B>
bool operator!=(const A& a, const B& b) {
  return a.value != b.value;
}
template <NumberOption A, NumberOption B>
bool operator<(const A& a, const B& b) {
  return a.value < b.value;
}
template <NumberOption A, NumberOption B>
bool operator<=(const A& a, const B& b) {
  return a.value <= b.value;
}
template <NumberOption A, NumberOption B>
bool operator>(const A& a, const B& b) {
  return a.value > b.value;
}
template <NumberOption A, NumberOption B>
bool operator>=(const A& a, const B& b) {
  return a.value >= b.value;
}
template <NumberOption A, NumberOption B>
auto operator<<(const A& a, const B& b) {
  return a.value << b.value;
}
template <NumberOption A, NumberOption B>
auto operator>>(const A& a, const B& b) {
  return a.value >> b.value;
}
template <NumberOption A>
std::ostream& operator<<(std::ostream& out, const A& a) {
  return out << a.value;
}
/// @}

}  // namespace number_options
}  // namespace cornu
