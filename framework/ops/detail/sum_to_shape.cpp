// Sums over the axes that broadcasting made.
#include "sum_to_shape.h"

#include "../numpy/reduction.h"

namespace cornu::detail {

Tensor sum_to_shape(const Tensor& x, const Shape& target) {
  if (x.shape() == target) return x;
  const int extra = x.rank() - target.rank();
  std::vector<int64_t> axes;
  for (int i = 0; i < x.rank(); ++i)
    if (i < extra || (target[i - extra] == 1 && x.shape()[i] != 1)) axes.push_back(i);
  const Tensor y = axes.empty() ? x : ops::sum(x, Axes(axes), false);
  return y.shape() == target ? y : apply_reshape(y, target);
}

}  // namespace cornu::detail
