// How a function of cornu::ops becomes an operation: on values it just runs; on symbolic tensors it
// becomes a node of the graph, under the name that the catalog has for it.
#pragma once
#include <optional>
#include <type_traits>
#include <vector>

#include "../dispatch/apply.h"
#include "../dispatch/node.h"
#include "convert.h"

namespace cornu {

/// One axis, several, or (as std::nullopt or by default) all of them. Negative axes count from the
/// end.
class Axes {
 public:
  Axes() = default;
  Axes(std::nullopt_t) {}
  template <std::integral T>
  Axes(T axis) : axes_({static_cast<int>(axis)}), all_(false), single_(true) {}
  Axes(std::initializer_list<int> axes) : axes_(axes), all_(false) {}
  Axes(const std::vector<int64_t>& axes) : axes_(axes.begin(), axes.end()), all_(false) {}

  bool all() const { return all_; }
  /// Sorted axes in [0, rank) of a tensor of this rank. Throws ShapeError when out of range or
  /// repeated.
  InlineVector<int, 6> resolve(int rank) const;
  Value value() const;

 private:
  InlineVector<int, 6> axes_;
  bool all_ = true;
  bool single_ = false;
};

namespace detail {

inline bool symbolic(const Tensor& t) { return t && t.is_symbolic(); }
inline bool symbolic(const std::vector<Tensor>& tensors) { return any_symbolic(tensors); }
inline bool symbolic(const std::optional<Tensor>& t) { return t && t->is_symbolic(); }
template <class T>
bool symbolic(const T&) {
  return false;
}

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
Nest symbolic_call(FunctionKey key, std::vector<Value> values,
                   const std::function<Nest(const std::vector<Value>&)>& run);

}  // namespace detail

/// The body of an op: `return op(&softmax, [](const Tensor& x, int64_t axis) {...}, x, axis);`
/// The parameters of `body` are those of the function, which must be listed in an op catalog.
template <class R, class... P, class F, class... A>
R op(R (*function)(P...), F&& body, const A&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A));
  if (!(detail::symbolic(arguments) || ...)) [[likely]]
    return body(arguments...);
  const Nest result = detail::symbolic_call(
      reinterpret_cast<detail::FunctionKey>(function), {detail::to_value(arguments)...},
      [&](const std::vector<Value>& values) -> Nest {
        return [&]<size_t... I>(std::index_sequence<I...>) {
          return Nest(body(detail::from_value<std::remove_cvref_t<P>>(values[I])...));
        }
        (std::index_sequence_for<P...>());
      });
  if constexpr (std::is_same_v<R, std::vector<Tensor>>) {
    return result.flatten();
  } else if constexpr (std::is_same_v<R, Nest>) {
    return result;
  } else {
    return result.tensor();
  }
}

}  // namespace cornu
