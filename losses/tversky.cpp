// Tversky.
#include "tversky.h"

#include "../framework/ops/elementwise.h"

namespace cornu::losses {

TverskyLoss::TverskyLoss(TverskyConfig c) : LossOf(std::move(c)) {}

Tensor TverskyLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  static const backend::ProgramRef first_only = backend::Program::make(
      2, [](const std::vector<Expr>& x) { return std::vector<Expr>{x[0] * (1.0 - x[1])}; });
  const auto [t, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  const auto sum = [&](const backend::ProgramRef& program, const Tensor& a, const Tensor& b) {
    const Tensor inputs[] = {a, b};
    return reduce_program(program, inputs, config.axis, 1, y_pred.dtype(), name_.c_str());
  };
  return fused(
      [](Expr common, Expr missed, Expr added, Expr alpha, Expr beta) {
        return 1.0 - common / (common + missed * alpha + added * beta + 1e-7);
      },
      sum(backend::program_of(backend::Opcode::multiply), t, p), sum(first_only, t, p),
      sum(first_only, p, t), Tensor(config.alpha), Tensor(config.beta));
}

void register_tversky(Catalog& c) { c.add<TverskyLoss>("keras.losses.Tversky"); }

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::TverskyLoss, losses::TverskyConfig>;
}
