// The update of Lamb.
#include "lamb.h"

#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/reduction.h"

namespace cornu::optimizers {

void LambOptimizer::build_slots(const std::vector<Variable>& variables) {
  momentums_.clear();
  velocities_.clear();
  for (const Variable& v : variables) {
    momentums_.push_back(add_slot(v, "momentum"));
    velocities_.push_back(add_slot(v, "velocity"));
  }
}

void LambOptimizer::update_step(size_t index, const Tensor& gradient, Variable& variable,
                                const Tensor& learning_rate) {
  if (!program_)
    program_ = backend::Program::make(4, [&](const std::vector<Expr>& x) {
      Expr step = update_number(x[3]);
      Expr m = x[1] + (x[0] - x[1]) * (1 - config.beta_1);
      Expr v = x[2] + (expr::square(x[0]) - x[2]) * (1 - config.beta_2);
      Expr root = expr::sqrt(v / (1.0 - expr::power(config.beta_2, step))) + config.epsilon;
      return std::vector<Expr>{m, v, m / (1.0 - expr::power(config.beta_1, step)) / root};
    });
  Variable &m = momentums_[index], &v = velocities_[index];
  const Tensor inputs[] = {gradient, m.value(), v.value(), steps().value()};
  const Tensors next = detail::apply_fused_many(program_, inputs, variable.dtype(), name().c_str());
  m.assign(next[0]);
  v.assign(next[1]);
  variable.assign(fused_many(
      variable.dtype(),
      [](Expr w, Expr u, Expr w_squares, Expr u_squares, Expr rate) {
        Expr both = (w_squares > 0.0) * (u_squares > 0.0);
        Expr ratio = expr::sqrt(w_squares) / expr::select(both, expr::sqrt(u_squares), 1.0);
        return std::vector<Expr>{w - expr::select(both, ratio, 1.0) * rate * u};
      },
      variable.value(), next[2], ops::sum(ops::square(variable.value())),
      ops::sum(ops::square(next[2])), learning_rate)[0]);
}

void register_lamb(Catalog& c) { c.add<LambOptimizer>("keras.optimizers.Lamb"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::LambOptimizer, optimizers::LambConfig>;
}
