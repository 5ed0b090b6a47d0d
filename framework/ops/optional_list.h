// Options that are lists: what their elements are, and lists that may be left out.
#pragma once
#include <concepts>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../backend/shape.h"

namespace cornu {
namespace detail {

/// What a list of type T is written of in braces; void for what is no list.
template <class T>
struct ElementOf {
  using type = std::conditional_t<
      std::constructible_from<T, std::initializer_list<int64_t>>, int64_t,
      std::conditional_t<std::constructible_from<T, std::initializer_list<int>>, int, void>>;
};
template <>
struct ElementOf<Shape> {
  using type = Shape::Size;
};
template <class T>
requires(
    std::constructible_from<T, std::initializer_list<typename T::value_type>>) struct ElementOf<T> {
  using type = typename T::value_type;
};
template <class T>
using Element = typename ElementOf<T>::type;

template <class T>
concept ListLike = !std::is_void_v<Element<T>> && std::is_class_v<T>;

/// The list of these elements; of a single one what T makes of it, where T tells one from a list.
template <ListLike T>
T list_of(std::initializer_list<Element<T>> values) {
  // A vector would take a number for its size.
  constexpr bool is_vector = requires { typename T::allocator_type; };
  if constexpr (!is_vector && std::constructible_from<T, Element<T>>) {
    if (values.size() == 1) return T(*values.begin());
  }
  return T(values);
}

}  // namespace detail

/// A list as an option that may be left out: `.thresholds = {0.1, 0.5}`, `= 0.5`, a variable of
/// type T, or std::nullopt, which is the default.
template <detail::ListLike T>
class OptionalList : public std::optional<T> {
  using Element = detail::Element<T>;

 public:
  OptionalList() = default;        ///< nothing
  OptionalList(std::nullopt_t) {}  ///< nothing
  /// The elements in braces.
  OptionalList(std::initializer_list<Element> values)
      : std::optional<T>(detail::list_of<T>(values)) {}
  /// A single element.
  template <class E>
  requires(std::is_arithmetic_v<E>&& std::convertible_to<E, Element> &&
           (!std::same_as<E, bool> || std::same_as<Element, bool>)) OptionalList(E element)
      : std::optional<T>(detail::list_of<T>({static_cast<Element>(element)})) {}
  OptionalList(T list) : std::optional<T>(std::move(list)) {}  ///< the list
  /// From what T is made from, such as a vector.
  template <class U>
  requires(std::convertible_to<U, T> && !std::is_arithmetic_v<std::remove_cvref_t<U>> &&
           !std::derived_from<std::remove_cvref_t<U>, std::optional<T>>) OptionalList(U&& list)
      : std::optional<T>(T(std::forward<U>(list))) {}
  /// The list, if any.
  template <std::derived_from<std::optional<T>> O>
  OptionalList(const O& list) : std::optional<T>(list) {}
};

}  // namespace cornu
