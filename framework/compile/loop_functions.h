// What functions of loops may look like besides functions of nests: a pair for a state and a
// result, and a parameter for each loop variable.
#pragma once
#include <concepts>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../tensor/nest.h"

namespace cornu::detail {

/// A pair or a tuple of two nests or tensors.
template <class R>
concept PairOfNests = requires(R r) {
  requires std::tuple_size<R>::value == 2;
  requires std::convertible_to<decltype(std::get<0>(std::move(r))), Nest>;
  requires std::convertible_to<decltype(std::get<1>(std::move(r))), Nest>;
};

/// A function of a state and an element that gives the next state and a result as a pair.
template <class F>
concept StepInPairs = std::invocable<const F&, const Nest&, const Nest&> &&
    PairOfNests<std::invoke_result_t<const F&, const Nest&, const Nest&>>;

/// How many parameters a function has; 0 where overloads or templates leave it open.
template <class F>
inline constexpr size_t parameter_count = 0;
template <class R, class... P>
inline constexpr size_t parameter_count<std::function<R(P...)>> = sizeof...(P);

/// A function with a parameter for each of several loop variables.
template <class F>
concept OfSeveral = (parameter_count<decltype(std::function(std::declval<F>()))> > 1);

/// Throws ValueError: the loop has not as many variables as its functions have parameters.
[[noreturn]] void throw_variable_count(size_t expected, const Nest& loop_vars);

/// A list of what a function gave: of the elements of a pair or tuple, or the nest that it is.
template <class R>
Nest listed(R result) {
  if constexpr (std::convertible_to<R, Nest>)
    return result;
  else
    return std::apply(
        [](auto&... elements) {
          Nest::List list;
          (list.push_back(elements), ...);
          return Nest(std::move(list));
        },
        result);
}

/// A function of the list of the variables that calls `f` with each as an argument.
template <class R, class... P>
auto of_nest(std::function<R(P...)> f) {
  return [f = std::move(f)](const Nest& list) {
    if (!list.is_list() || list.size() != sizeof...(P)) throw_variable_count(sizeof...(P), list);
    return [&]<size_t... i>(std::index_sequence<i...>) { return f(list.list()[i]...); }
    (std::index_sequence_for<P...>());
  };
}

}  // namespace cornu::detail
