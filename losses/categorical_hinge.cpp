// CategoricalHinge.
#include "categorical_hinge.h"

#include "../framework/ops/elementwise.h"

namespace cornu::losses {

CategoricalHingeLoss::CategoricalHingeLoss(CategoricalHingeConfig c) : LossOf(std::move(c)) {}

Tensor CategoricalHingeLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  static const backend::ProgramRef wrong = backend::Program::make(
      2, [](const std::vector<Expr>& x) { return std::vector<Expr>{(1.0 - x[0]) * x[1]}; });
  const auto [t, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  const Tensor inputs[] = {t, p};
  const Tensor pos = reduce_program(backend::program_of(backend::Opcode::multiply), inputs, -1, 1,
                                    dtype_, name_.c_str());
  const Tensor neg =
      reduce_program(wrong, inputs, -1, 1, dtype_, name_.c_str(), backend::ReduceOp::maximum);
  return fused([](Expr neg, Expr pos) { return expr::maximum(neg - pos + 1.0, 0.0); }, neg, pos);
}

void register_categorical_hinge(Catalog& c) {
  c.add<CategoricalHingeLoss>("keras.losses.CategoricalHinge");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::CategoricalHingeLoss, losses::CategoricalHingeConfig, Loss>;
}
