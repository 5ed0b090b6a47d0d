// Dice.
#include "dice.h"

#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/reduction.h"

namespace cornu::losses {

DiceLoss::DiceLoss(DiceConfig c) : LossOf(std::move(c)) {}

Tensor DiceLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  const Tensor inputs[] = {t, p};
  const Tensor common = reduce_program(backend::program_of(backend::Opcode::multiply), inputs,
                                       config.axis, 1, p.dtype(), name_.c_str());
  return fused([](Expr common, Expr t, Expr p) { return 1.0 - 2.0 * common / (t + p + 1e-7); },
               common, ops::sum(t, config.axis), ops::sum(p, config.axis));
}

void register_dice(Catalog& c) { c.add<DiceLoss>("keras.losses.Dice"); }

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::DiceLoss, losses::DiceConfig>;
}
