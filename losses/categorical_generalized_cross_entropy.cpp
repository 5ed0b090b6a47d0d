// CategoricalGeneralizedCrossEntropy.
#include "categorical_generalized_cross_entropy.h"

#include <fmt/core.h>

#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/nn/one_hot.h"
#include "../framework/ops/operators.h"

namespace cornu::losses {

CategoricalGeneralizedCrossEntropyLoss::CategoricalGeneralizedCrossEntropyLoss(
    CategoricalGeneralizedCrossEntropyConfig c)
    : LossOf(std::move(c)) {
  if (!(config.q > 0 && config.q < 1))
    throw ValueError(fmt::format("{}: q must be in (0, 1), found {}.", name_, config.q));
}

Tensor CategoricalGeneralizedCrossEntropyLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, given] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  const Tensor chosen =
      ops::one_hot(ops::cast(t, DType::int32), given.shape(-1), -1, given.dtype());
  const Tensor inputs[] = {given, chosen};
  const Tensor p = reduce_program(backend::program_of(backend::Opcode::multiply), inputs, -1, 1,
                                  given.dtype(), name_.c_str());
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
