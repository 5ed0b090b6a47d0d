// What a function takes first: one of a Nest can be called with a Tensor too, so it is the
// parameter's type that tells.
#pragma once
#include <concepts>
#include <type_traits>
#include <vector>

#include "nest.h"

namespace cornu::detail {

/// What a function takes first, without const and &; void where overloads or templates leave it
/// open.
template <class F>
struct FirstArgument {
  using type = void;
};
template <class R, class A, class... B>
struct FirstArgument<R (*)(A, B...)> {
  using type = std::remove_cvref_t<A>;
};
template <class C, class R, class A, class... B>
struct FirstArgument<R (C::*)(A, B...)> {
  using type = std::remove_cvref_t<A>;
};
template <class C, class R, class A, class... B>
struct FirstArgument<R (C::*)(A, B...) const> {
  using type = std::remove_cvref_t<A>;
};
template <class F>
requires requires { &F::operator(); }
struct FirstArgument<F> : FirstArgument<decltype(&F::operator())> {};

/// A function of a Nest.
template <class F>
concept TakesNest = std::same_as<typename FirstArgument<F>::type, Nest>;
/// A function of a list of tensors.
template <class F>
concept TakesTensors = std::same_as<typename FirstArgument<F>::type, std::vector<Tensor>>;

}  // namespace cornu::detail
