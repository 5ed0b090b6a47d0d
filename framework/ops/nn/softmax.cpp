// Softmax: one Softmax kernel.
#include "softmax.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/complex.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/joining.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../numpy/sorting.h"
#include "../operators.h"
#include "activations.h"

namespace cornu::ops {

namespace {

// f on the last axis, for the kernels that only know that one.
template <class F>
Tensor along_last(const Tensor& x, int64_t axis, F f) {
  const int a = normalize_axis(axis, x.rank());
  if (a == x.rank() - 1) return f(x);
  return swapaxes(f(swapaxes(x, a, -1)), a, -1);
}

Tensor softmax_kernel(const Tensor& x, const Axes& axes, bool log) {
  if (is_complex(x.dtype())) refuse_complex(log ? "log_softmax" : "softmax");
  const Tensor real = is_float(x.dtype()) ? x : cast(x, DType::float32);
  const auto kernel = [log](const Tensor& t) {
    return apply(backend::Softmax{log}, {t}, t.spec());
  };
  const auto which = axes.resolve(x.rank());
  if (which.size() == 1) return along_last(real, which[0], kernel);
  if (which.size() == static_cast<size_t>(x.rank()))
    return reshape(kernel(reshape(real, {-1})), x.shape());
  // Several axes together: brought to the end they are one.
  std::vector<int64_t> order, back(x.rank());
  Shape kept;
  for (int i = 0; i < x.rank(); ++i)
    if (std::find(which.begin(), which.end(), i) == which.end()) {
      order.push_back(i);
      kept.push_back(x.shape()[i]);
    }
  order.insert(order.end(), which.begin(), which.end());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const Tensor moved = transpose(real, order);
  return transpose(reshape(kernel(reshape(moved, concat(kept, {-1}))), moved.shape()), back);
}

}  // namespace

Tensor softmax(const Tensor& x, const Axes& axis) {
  if (is_symbolic(x)) return symbolic_call(&softmax, x, axis);
  return softmax_kernel(x, axis, false);
}

Tensor log_softmax(const Tensor& x, const Axes& axis) {
  if (is_symbolic(x)) return symbolic_call(&log_softmax, x, axis);
  return softmax_kernel(x, axis, true);
}

Tensor sparsemax(const Tensor& x, int64_t axis) {
  if (is_symbolic(x)) return symbolic_call(&sparsemax, x, axis);
  const int a = normalize_axis(axis, x.rank(), "sparsemax: axis");
  const int64_t n = x.shape()[a];
  const Tensor descending = -sort(-x, a), sums = cumsum(descending, a);
  Shape along;
  for (int i = 0; i < x.rank(); ++i) along.push_back(i == a ? n : 1);
  const Tensor ranks = reshape(arange(1, n + 1, 1, x.dtype()), along);
  const Tensor support = greater(descending - (sums - 1) / ranks, 0);
  const Tensor count = sum(cast(support, x.dtype()), a, true);
  const Tensor threshold = (sum(where(support, sums, zeros_like(sums)), a, true) - 1) / count;
  return fused([](Expr x, Expr t) { return expr::relu(x - t); }, x, threshold);
}

Tensor glu(const Tensor& x, int64_t axis) {
  if (is_symbolic(x)) return symbolic_call(&glu, x, axis);
  const int a = normalize_axis(axis, x.rank(), "glu: axis");
  if (x.shape()[a] % 2 != 0)
    throw ShapeError(
        fmt::format("glu: axis {} of shape {} must have an even size.", axis, x.shape().str()));
  const auto halves = split(x, 2, a);
  return fused([](Expr x, Expr gate) { return x * expr::sigmoid(gate); }, halves[0], halves[1]);
}

void list_nn_softmax(OpCatalog& catalog) {
  catalog.add("nn.Softmax", {"x", "axis=-1"}, &softmax);
  catalog.add("nn.LogSoftmax", {"x", "axis=-1"}, &log_softmax);
  catalog.add("nn.Sparsemax", {"x", "axis=-1"}, &sparsemax);
  catalog.add("nn.Glu", {"x", "axis=-1"}, &glu);
}

}  // namespace cornu::ops
