// vectorize: a function of small tensors, called along the leading axes of larger ones.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "../tensor/nest.h"

namespace cornu {

namespace detail {

/// A function of tensors in a list.
using FunctionOfList = std::function<Nest(const std::vector<Tensor>&)>;

[[noreturn]] void throw_argument_count(size_t expected, size_t found);

template <class R>
FunctionOfList of_list(std::function<R(const std::vector<Tensor>&)> f) {
  return f;
}
template <class R, class... P>
FunctionOfList of_list(std::function<R(P...)> f) {
  return [f = std::move(f)](const std::vector<Tensor>& list) -> Nest {
    if (list.size() != sizeof...(P)) throw_argument_count(sizeof...(P), list.size());
    return [&]<size_t... I>(std::index_sequence<I...>) { return Nest(f(list[I]...)); }
    (std::index_sequence_for<P...>());
  };
}

}  // namespace detail

namespace ops {

/// Options of vectorize.
struct VectorizeOptions {
  /// Places of arguments, from 0, that the function gets as they are.
  std::set<int64_t> excluded = {};
  /// The axes that the function takes and gives, as "(m,n),(n)->(m)": for each argument that is not
  /// excluded, and for each result, names of its last axes; axes of one name have one size. Empty:
  /// it takes and gives scalars.
  std::string signature = "";
};

/// What vectorize makes of a function.
class Vectorized {
 public:
  /// Throws ValueError for a signature of another form.
  Vectorized(detail::FunctionOfList function, VectorizeOptions options);
  /// The function's results for each place of the leading axes of the arguments, which broadcast:
  /// a result has these axes before its own. Throws ValueError for more or fewer arguments or
  /// results than the signature has, ShapeError for axes that are missing or differ in size.
  template <class... T>
  Nest operator()(const T&... arguments) const {
    return call({Tensor(arguments)...});
  }
  /// The same for arguments in a list.
  Nest call(const std::vector<Tensor>& arguments) const;

 private:
  detail::FunctionOfList function_;
  std::set<int64_t> excluded_;
  bool has_signature_;
  // The names of the axes of each argument and of each result.
  std::vector<std::vector<std::string>> arguments_, results_;
};

/// The function as one of larger tensors, as NumPy's generalized universal functions are. `pyfunc`
/// takes tensors, or one const std::vector<Tensor>&, and returns a tensor or a list of them:
///
///     auto times = ops::vectorize([](const Tensor& a, const Tensor& b) { return ops::dot(a, b); },
///                                 {.signature = "(m,n),(n)->(m)"});
///     Tensor y = times(ops::ones({5, 3, 2}), ops::ones({2}));  // (5, 3)
///
/// An argument with nothing before its own axes is not repeated. Each place is a call, in order; a
/// recorded function does each kernel once for all places where it can, as vectorized_map.
template <class F>
Vectorized vectorize(F pyfunc, VectorizeOptions options = {}) {
  return {detail::of_list(std::function(std::move(pyfunc))), std::move(options)};
}

}  // namespace ops
}  // namespace cornu
