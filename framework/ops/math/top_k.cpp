// The largest elements, by the Sort kernel.
#include "top_k.h"

#include <fmt/core.h>

#include <limits>

#include "../../dispatch/complex.h"
#include "../../dispatch/custom_gradient.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/sorting.h"
#include "../elementwise.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../operators.h"

namespace cornu::ops {

TensorTuple<2> top_k(const Tensor& x, int64_t k, bool sorted_result) {
  if (is_symbolic(x)) return symbolic_call(&top_k, x, k, sorted_result);
  if (x.rank() == 0 || k < 0 || k > x.shape().back())
    throw ShapeError(fmt::format("top_k: k = {} of a last axis in shape {}.", k, x.shape().str()));
  const Tensors result = detail::sorted_along(x, true, k);
  return std::vector<Tensor>(result.begin(), result.end());
}

Condition in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k) {
  if (is_symbolic(targets, predictions)) return symbolic_call(&in_top_k, targets, predictions, k);
  const Tensor found = take_along_axis(predictions, expand_dims(targets, {-1}), -1);
  const Tensor least = full(found.shape(), -std::numeric_limits<double>::infinity(), found.dtype());
  const Tensor own = where(isnan(found), least, found);
  return less(sum(cast(greater(predictions, own), DType::int32), -1), k);
}

void list_math_top_k(OpCatalog& catalog) {
  catalog.add("math.TopK", {"x", "k", "sorted=True"}, &top_k);
  catalog.add("math.InTopK", {"targets", "predictions", "k"}, &in_top_k);
}

}  // namespace cornu::ops
