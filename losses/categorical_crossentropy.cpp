// CategoricalCrossentropy: the logarithm of the sum of exponentials (or the sum of probabilities),
// then one reduction.
#include "categorical_crossentropy.h"

#include <fmt/core.h>

#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"
#include "logits.h"
#include "pairwise_loss.h"

namespace cornu::losses {

CategoricalCrossentropyLoss::CategoricalCrossentropyLoss(CategoricalCrossentropyConfig c)
    : LossOf(std::move(c)) {}

Tensor CategoricalCrossentropyLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  return run(y_true, y_pred, false, false);
}

Tensor CategoricalCrossentropyLoss::total(const Tensor& y_true, const Tensor& y_pred, bool mean) {
  return y_pred.size() ? run(y_true, y_pred, true, mean) : Tensor();
}

Tensor CategoricalCrossentropyLoss::run(const Tensor& y_true, const Tensor& y_pred, bool whole,
                                        bool mean) {
  static const backend::ProgramRef of_probabilities =
      backend::Program::make(5, [](const std::vector<Expr>& x) {
        return std::vector<Expr>{(x[0] * x[2] + x[3]) *
                                 expr::log(clip(x[1] / x[4], epsilon, 1.0 - epsilon))};
      });
  const auto [t, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  if (t.shape() != p.shape())
    throw ShapeError(fmt::format(
        "{}: y_true of shape {} and y_pred of shape {} must be equal. For class numbers use "
        "SparseCategoricalCrossentropy.",
        name_, y_true.shape().str(), y_pred.shape().str()));
  const int axis = normalize_axis(config.axis, p.rank(), "axis");
  const int64_t rows = p.size() / std::max<int64_t>(p.shape()[axis], 1);
  const double scale = whole && mean ? -1.0 / static_cast<double>(rows) : -1.0;
  const Tensor keep(1.0 - config.label_smoothing);
  const Tensor share(config.label_smoothing / static_cast<double>(t.shape(-1)));
  const Axes axes = whole ? Axes() : Axes(axis);
  const Tensor real = p.dtype() == dtype_ ? p : ops::cast(p, dtype_);
  if (config.from_logits) {
    static const backend::ProgramRef identity =
        backend::Program::make(1, [](const std::vector<Expr>& x) { return x; });
    const Tensor smooth =
        config.label_smoothing == 0
            ? t
            : fused([](Expr t, Expr keep, Expr share) { return t * keep + share; }, t, keep, share);
    const Tensor rows[] = {crossentropy_of_targets(smooth, real, axis)};
    return reduce_program(identity, rows, axes, -scale, dtype_, name_.c_str());
  }
  const Tensor inputs[] = {t, real, keep, share, ops::sum(real, axis, true)};
  return reduce_program(of_probabilities, inputs, axes, scale, dtype_, name_.c_str());
}

void register_categorical_crossentropy(Catalog& c) {
  c.add<CategoricalCrossentropyLoss>("keras.losses.CategoricalCrossentropy");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::CategoricalCrossentropyLoss, losses::CategoricalCrossentropyConfig,
                      Loss>;
}
