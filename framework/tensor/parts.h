// Results of several tensors that can be taken apart.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "nest.h"

namespace cornu {

/// A list of N tensors, which can be taken apart: `auto [values, indices] = ops::top_k(x, 3);`.
/// `List` is std::vector<Tensor>, or a Nest of results that depend on an option.
template <class List, size_t N>
class Parts : public List {
 public:
  using List::List;
  Parts(List list) : List(std::move(list)) {}  ///< what holds N tensors
  /// The tensor in place I.
  template <size_t I>
  Tensor get() const {
    static_assert(I < N);
    return (*this)[I];
  }
};

template <size_t N>
using TensorTuple = Parts<std::vector<Tensor>, N>;  ///< N tensors in order

}  // namespace cornu

/// For structured bindings.
template <class List, size_t N>
struct std::tuple_size<cornu::Parts<List, N>> : std::integral_constant<size_t, N> {};
/// The same.
template <size_t I, class List, size_t N>
struct std::tuple_element<I, cornu::Parts<List, N>> {
  using type = cornu::Tensor;  ///< of each part
};
