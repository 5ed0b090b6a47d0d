// How a function of cornu::ops becomes an operation: on values it just runs; on symbolic tensors it
// becomes a node of the graph, under the name that the catalog has for it.
#pragma once
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "../dispatch/apply.h"
#include "../dispatch/node.h"
#include "../tensor/parts.h"
#include "convert.h"

namespace cornu {

/// A number; no bool, into which g++ turns misspelt options: `{.keepdims = true}` would be axis 1.
template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool>;

/// One axis, several, or (as std::nullopt or by default) all of them. Negative axes count from the
/// end.
class Axes {
 public:
  /// All axes.
  Axes() = default;
  /// All axes.
  Axes(std::nullopt_t) {}
  /// One axis.
  template <WholeNumber T>
  Axes(T axis) : axes_({static_cast<int>(axis)}), all_(false), single_(true) {}
  /// Several axes.
  Axes(std::initializer_list<int> axes) : axes_(axes), all_(false) {}
  /// Several axes; from an empty vector none.
  Axes(const std::vector<int64_t>& axes) : all_(false) {
    for (int64_t axis : axes) axes_.push_back(static_cast<int>(axis));
  }

  bool all() const { return all_; }  ///< whether all axes are meant

  /// Sorted axes in [0, rank) of a tensor of this rank. Throws ShapeError when out of range or
  /// repeated.
  InlineVector<int, 6> resolve(int rank) const;
  /// The numbers as given; none for all axes.
  std::span<const int> as_given() const { return {axes_.data(), axes_.size()}; }
  /// As a setting in files: null for all axes, else a number or a list.
  Value value() const;

 private:
  InlineVector<int, 6> axes_;
  bool all_ = true;
  bool single_ = false;
};

namespace detail {

inline bool is_symbolic(const Tensor& t) { return t && t.is_symbolic(); }
inline bool is_symbolic(const std::vector<Tensor>& tensors) { return any_symbolic(tensors); }
inline bool is_symbolic(const std::optional<Tensor>& t) { return t && is_symbolic(*t); }

template <class T>
Value to_value(const T& v) {
  if constexpr (std::is_same_v<T, Axes>)
    return v.value();
  else
    return Value(v);
}

template <>
struct FromValue<Axes> {
  static Axes get(const Value& v);
};

/// The identity of an op is the address of its function.
using FunctionKey = void (*)();

/// Makes the node for a call of the function `key` and infers its outputs by `run`.
Nest make_op_node(FunctionKey key, std::vector<Value> values,
                  const std::function<Nest(const std::vector<Value>&)>& run);

template <class R>
Nest to_nest(R result) {
  if constexpr (std::is_same_v<R, std::pair<Tensor, Tensor>>)
    return Nest(std::vector<Tensor>{result.first, result.second});
  else
    return Nest(std::move(result));
}

/// The function as one of values, in the order of its parameters.
template <class R, class... P>
std::function<Nest(const std::vector<Value>&)> of_values(R (*function)(P...)) {
  return [function](const std::vector<Value>& values) -> Nest {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return to_nest(function(from_value<std::remove_cvref_t<P>>(values[I])...));
    }
    (std::index_sequence_for<P...>());
  };
}

}  // namespace detail

/// Whether one of these tensors, lists of tensors and optional tensors is symbolic.
template <class... T>
bool is_symbolic(const T&... tensors) {
  return (detail::is_symbolic(tensors) || ...);
}

/// The first line of an op, which makes a call on symbolic tensors a node of their graph:
///   if (is_symbolic(x)) return symbolic_call(&softmax, x, axis);
/// The node's shapes follow from calling the function on stand-ins. The function must be listed in
/// the catalog of ops.
template <class R, class... P, class... A>
R symbolic_call(R (*function)(P...), const A&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A));
  const Nest result =
      detail::make_op_node(reinterpret_cast<detail::FunctionKey>(function),
                           {detail::to_value(arguments)...}, detail::of_values(function));
  if constexpr (std::derived_from<R, std::vector<Tensor>>)
    return result.flatten();
  else if constexpr (std::is_same_v<R, std::pair<Tensor, Tensor>>)
    return {result[0].tensor(), result[1].tensor()};
  else if constexpr (std::derived_from<R, Nest>)
    return R(result);
  else
    return R(result.tensor());
}

}  // namespace cornu
