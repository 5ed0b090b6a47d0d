// CategoricalFocalCrossentropy: a softmax, the sum of probabilities, then one reduction.
#include "categorical_focal_crossentropy.h"

#include <fmt/core.h>

#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/nn/softmax.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"
#include "pairwise_loss.h"

namespace cornu::losses {

CategoricalFocalCrossentropyLoss::CategoricalFocalCrossentropyLoss(
    CategoricalFocalCrossentropyConfig c)
    : LossOf(std::move(c)) {
  // Inputs: the target, the probability, the sum of probabilities, the target's smoothed share, the
  // class's weight.
  program_ = backend::Program::make(5, [&](const std::vector<Expr>& x) {
    Expr t = config.label_smoothing != 0 ? x[0] * (1.0 - config.label_smoothing) + x[3] : x[0];
    Expr p = clip(x[1] / x[2], epsilon, 1.0 - epsilon);
    return std::vector<Expr>{expr::power(1.0 - p, config.gamma) * x[4] * t * expr::log(p)};
  });
}

Tensor CategoricalFocalCrossentropyLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, given] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  if (t.shape() != given.shape())
    throw ShapeError(fmt::format(
        "{}: y_true of shape {} and y_pred of shape {} must be equal. Turn class numbers into "
        "targets with ops::one_hot.",
        name_, y_true.shape().str(), y_pred.shape().str()));
  const Tensor p = config.from_logits ? ops::softmax(given, config.axis) : given;
  const Tensor share(config.label_smoothing / static_cast<double>(t.shape(-1)));
  const auto& weights = config.alpha.values();
  const Tensor alpha =
      config.alpha.is_single()
          ? Tensor(weights[0])
          : ops::cast(Tensor::from(weights, {static_cast<int64_t>(weights.size())}), dtype_);
  const Tensor inputs[] = {t, p, ops::sum(p, config.axis, true), share, alpha};
  return reduce_program(program_, inputs, config.axis, -1, dtype_, name_.c_str());
}

void register_categorical_focal_crossentropy(Catalog& c) {
  c.add<CategoricalFocalCrossentropyLoss>("keras.losses.CategoricalFocalCrossentropy");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::CategoricalFocalCrossentropyLoss,
                      losses::CategoricalFocalCrossentropyConfig>;
}
