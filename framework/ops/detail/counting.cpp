// Counts and scatters into zeros.
#include "counting.h"

#include <fmt/core.h>

#include "../numpy/creation.h"
#include "../operators.h"

namespace cornu::detail {

namespace {

using backend::Scatter;

using backend::ScatterOp;

}  // namespace

Tensor count_up(int64_t n) { return ops::arange(0, n); }

Tensor scattered(int64_t count, const Tensor& indices, const Tensor& updates, ScatterOp how) {
  const Shape shape = concat({count}, updates.shape().slice(1));
  return apply(Scatter{0, false, how}, {ops::zeros(shape, updates.dtype()), indices, updates},
               TensorSpec{shape, updates.dtype()});
}

int64_t known_size(const Tensor& count, const char* name, const char* remedy) {
  if (!count.is_eager())
    throw UnsupportedError(fmt::format(
        "{}: the shape of the result follows from the values of x, which are not known in "
        "a graph. {}",
        name, remedy));
  return static_cast<int64_t>(count.item());
}

}  // namespace cornu::detail
