// CTC: the sum over all ways through time, step by step, in logarithms.
#include "ctc.h"

#include <fmt/core.h>

#include <limits>

#include "../framework/ops/core/cast.h"
#include "../framework/ops/core/slices.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/math/special.h"
#include "../framework/ops/nn/softmax.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/indexing.h"
#include "../framework/ops/numpy/joining.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::losses {
namespace {

// The logarithm of a probability of zero: finite, so that differences of two such are 0, not NaN.
constexpr double never = -1e30;

// The columns [first, last) along the last axis.
Tensor columns(const Tensor& x, int64_t first, int64_t last) {
  return ops::get_item(x, Value::List{Ellipsis{}, Slice{first, last}});
}

}  // namespace

CTCLoss::CTCLoss(CTCConfig c) : LossOf(std::move(c)) {}

Tensor CTCLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  if (y_true.rank() != 2 || y_pred.rank() != 3 || y_true.shape(0) != y_pred.shape(0))
    throw ShapeError(fmt::format(
        "{}: expected y_true (batch, labels) and y_pred (batch, time, classes), found {} and {}.",
        name_, y_true.shape().str(), y_pred.shape().str()));
  const int64_t batch = y_true.shape(0), time = y_pred.shape(1), count = y_true.shape(1);
  const DType real = y_pred.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const Tensor labels = ops::cast(y_true, DType::int32);

  // States: blank, label, blank, label, ..., blank.
  const int64_t states = 2 * count + 1;
  const Tensor blanks = ops::zeros({batch, count}, DType::int32);
  const Tensor pairs = ops::reshape(ops::stack({blanks, labels}, 2), {batch, 2 * count});
  const Tensor classes = ops::concatenate({pairs, ops::zeros({batch, 1}, DType::int32)}, 1);
  const Tensor logs = ops::log_softmax(ops::cast(y_pred, real), -1);
  const Tensor places =
      ops::broadcast_to(ops::expand_dims(classes, {1}), Shape{batch, time, states});
  const std::vector<Tensor> emitted = ops::unstack(ops::take_along_axis(logs, places, 2), {}, 1);

  // A way may go on from two states before, past a blank, to another label.
  Tensor skips = ops::zeros({batch, states}, real);
  if (count > 1) {
    const Tensor differs =
        ops::cast(ops::not_equal(columns(labels, 1, count), columns(labels, 0, count - 1)), real);
    const Tensor none = ops::zeros({batch, count - 1}, real);
    const Tensor middle = ops::reshape(ops::stack({differs, none}, 2), {batch, 2 * (count - 1)});
    skips = ops::concatenate({ops::zeros({batch, 3}, real), middle}, 1);
  }
  const auto shifted = [&](const Tensor& x, int64_t by) {
    if (states <= by) return ops::full({batch, states}, Tensor(never), real);
    return ops::concatenate(
        {ops::full({batch, by}, Tensor(never), real), columns(x, 0, states - by)}, 1);
  };

  const Tensor number = ops::arange(0, states, 1, DType::int32);
  Tensor alpha = fused(
      [](Expr number, Expr log, Expr never) { return expr::select(number < 2.0, log, never); },
      number, emitted.at(0), Tensor(never));
  for (int64_t t = 1; t < time; ++t) {
    alpha = fused(
        [](Expr stay, Expr step, Expr jump, Expr skips, Expr log) {
          Expr other = expr::select(skips, jump, never);
          Expr most = expr::maximum(expr::maximum(stay, step), other);
          return expr::maximum(most +
                                   expr::log(expr::exp(stay - most) + expr::exp(step - most) +
                                             expr::exp(other - most)) +
                                   log,
                               never);
        },
        alpha, shifted(alpha, 1), shifted(alpha, 2), skips, emitted[static_cast<size_t>(t)]);
  }

  // Ways end in the last label or the blank behind it.
  const Tensor length =
      ops::sum(ops::cast(ops::not_equal(labels, Tensor(0)), DType::int32), 1, true);
  const Tensor ends = fused(
      [](Expr alpha, Expr number, Expr length) {
        Expr last = (number >= 2.0 * length - 1.0) * (number <= 2.0 * length);
        return expr::select(last, alpha, never);
      },
      alpha, number, length);
  const Tensor log = ops::logsumexp(ends, 1);
  return fused(
      [](Expr log) {
        return expr::select(log > 0.5 * never, -log, std::numeric_limits<double>::infinity());
      },
      log);
}

void register_ctc(Catalog& c) { c.add<CTCLoss>("keras.losses.CTC"); }

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::CTCLoss, losses::CTCConfig>;
}
