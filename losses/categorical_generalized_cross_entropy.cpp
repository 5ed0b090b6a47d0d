// CategoricalGeneralizedCrossEntropy.
#include "categorical_generalized_cross_entropy.h"

#include <fmt/core.h>

#include "../framework/ops/nn.h"

namespace cornu::losses {

CategoricalGeneralizedCrossEntropyLoss::CategoricalGeneralizedCrossEntropyLoss(
    CategoricalGeneralizedCrossEntropyConfig c)
    : LossOf(std::move(c)) {
  if (!(config.q > 0 && config.q < 1))
    throw ValueError(fmt::format("{}: q must be in (0, 1), found {}.", name_, config.q));
}

Tensor CategoricalGeneralizedCrossEntropyLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor chosen =
      ops::one_hot(ops::cast(y_true, DType::int32), y_pred.shape(-1), -1, y_pred.dtype());
  const Tensor inputs[] = {y_pred, chosen};
  const Tensor p = reduce_program(backend::program_of(backend::Opcode::multiply), inputs, -1, 1,
                                  y_pred.dtype(), name_.c_str());
  return fused([](Expr p, Expr q) { return (1.0 - expr::power(p, q)) / q; }, p, Tensor(config.q));
}

void register_categorical_generalized_cross_entropy(Catalog& c) {
  c.add<CategoricalGeneralizedCrossEntropyLoss>("keras.losses.CategoricalGeneralizedCrossEntropy");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::CategoricalGeneralizedCrossEntropyLoss,
                      losses::CategoricalGeneralizedCrossEntropyConfig>;
}
