// Circle.
#include "circle.h"

#include <fmt/core.h>

#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/math/special.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/products.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::losses {

CircleLoss::CircleLoss(CircleConfig c) : LossOf(std::move(c)) {}

Tensor CircleLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  return circle(y_true, y_pred, config);
}

Tensor circle(const Tensor& y_true, const Tensor& y_pred, const CircleConfig& options,
              const CircleReference& reference) {
  const Tensor& others = reference.embeddings ? reference.embeddings : y_pred;
  const Tensor& other_labels = reference.labels ? reference.labels : y_true;
  if (y_pred.rank() != 2 || others.rank() != 2 || y_pred.shape(1) != others.shape(1))
    throw ShapeError(fmt::format(
        "circle: expected embeddings (samples, size) and references (references, size), found {} "
        "and {}.",
        y_pred.shape().str(), others.shape().str()));
  const int64_t rows = y_pred.shape(0), columns = others.shape(0);
  if (y_true.size() != rows || other_labels.size() != columns)
    throw ShapeError(
        fmt::format("circle: labels {} and {} for embeddings {} and {}: expected a "
                    "class number for each.",
                    y_true.shape().str(), other_labels.shape().str(), y_pred.shape().str(),
                    others.shape().str()));
  const Tensor own = ops::reshape(ops::cast(y_true, DType::int32), {rows, 1});
  const Tensor their = ops::reshape(ops::cast(other_labels, DType::int32), {1, columns});
  const Tensor same = ops::equal(own, their);
  const Tensor self =
      options.remove_diagonal ? ops::eye(rows, columns, 0, DType::float32) : Tensor(0.0);
  // What a sum leaves out is so small that its exponential is 0, and its derivative as well.
  const Tensor none(y_pred.dtype() == DType::float16 ? -3e4 : -1e30);
  const Tensor cosine = ops::matmul_transposed(y_pred, others, false, true);
  const Tensor near = fused(
      [](Expr cosine, Expr same, Expr self, Expr none, Expr gamma, Expr margin) {
        Expr d = expr::maximum(1.0 - cosine, 0.0);
        Expr term = -gamma * expr::maximum(margin + d, 0.0) * (margin - d);
        return expr::select(same * (1.0 - self), term, none);
      },
      cosine, same, self, none, Tensor(options.gamma), Tensor(options.margin));
  const Tensor far = fused(
      [](Expr cosine, Expr same, Expr none, Expr gamma, Expr margin) {
        Expr d = expr::maximum(1.0 - cosine, 0.0);
        Expr term = gamma * expr::maximum(1.0 + margin - d, 0.0) * (1.0 - margin - d);
        return expr::select(same, none, term);
      },
      cosine, same, none, Tensor(options.gamma), Tensor(options.margin));
  Tensor loss = ops::softplus(ops::logsumexp(near, 1) + ops::logsumexp(far, 1));
  loss.set_mask(loss > Tensor(0.0));
  return loss;
}

void register_circle(Catalog& c) { c.add<CircleLoss>("keras.losses.Circle"); }

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::CircleLoss, losses::CircleConfig>;
}
