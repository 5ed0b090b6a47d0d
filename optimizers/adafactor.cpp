// The update of Adafactor.
#include "adafactor.h"

#include "../framework/base/loss.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"

namespace cornu::optimizers {

void AdafactorOptimizer::build_slots(const std::vector<Variable>& variables) {
  for (std::vector<Variable>* slots : {&rows_, &columns_, &velocities_}) slots->clear();
  for (const Variable& v : variables) {
    const Shape& shape = v.shape();
    if (shape.rank() < 2) {
      // Files hold a zero in their place, under the variable's own name.
      for (std::vector<Variable>* slots : {&rows_, &columns_}) {
        slots->push_back(add_state(ops::zeros({}, DType::int32), v.name()));
        slots->back().set_path(v.name());
      }
    } else {
      Shape rows = shape, columns = shape;
      rows.erase(shape.rank() - 1);
      columns.erase(shape.rank() - 2);
      rows_.push_back(add_state(ops::zeros(rows, v.dtype()), v.name()));
      columns_.push_back(add_state(ops::zeros(columns, v.dtype()), v.name()));
    }
    velocities_.push_back(add_slot(v, "velocity"));
  }
}

void AdafactorOptimizer::begin_update(const Tensor& learning_rate) {
  if (!scalar_program_)
    scalar_program_ = backend::Program::make(2, [&](const std::vector<Expr>& x) {
      Expr step = update_number(x[1]), slowing = 1.0 / expr::sqrt(step);
      return std::vector<Expr>{expr::minimum(x[0], slowing),
                               1.0 - expr::power(step, config.beta_2_decay)};
    });
  const Tensor inputs[] = {learning_rate, steps().value()};
  const Tensors scalars =
      detail::apply_fused_many(scalar_program_, inputs, DType::float32, name().c_str());
  rho_ = scalars[0];
  beta_ = scalars[1];
}

Tensor AdafactorOptimizer::squares(const Tensor& gradient, const Axes& axes, double count) const {
  return reduce_program(square_program_, {&gradient, 1}, axes, 1 / count, gradient.dtype(),
                        name().c_str());
}

void AdafactorOptimizer::update_step(size_t index, const Tensor& gradient, Variable& variable,
                                     const Tensor&) {
  const DType dtype = variable.dtype();
  const Shape& shape = variable.shape();
  const int rank = shape.rank();
  if (!square_program_)
    square_program_ = backend::Program::make(1, [&](const std::vector<Expr>& x) {
      return std::vector<Expr>{expr::square(x[0]) + config.epsilon_1};
    });
  const auto blend = [&](Variable& mean, const Tensor& now) {
    mean.assign(fused_many(
        dtype,
        [](Expr mean, Expr now, Expr beta) {
          return std::vector<Expr>{beta * mean + (1.0 - beta) * now};
        },
        mean.value(), now, beta_)[0]);
  };
  Variable& v = velocities_[index];
  if (rank >= 2) {
    Variable &r = rows_[index], &c = columns_[index];
    blend(r, squares(gradient, rank - 1, static_cast<double>(shape[rank - 1])));
    blend(c, squares(gradient, rank - 2, static_cast<double>(shape[rank - 2])));
    v.assign(fused_many(
        dtype, [](Expr r, Expr mean, Expr c) { return std::vector<Expr>{r / mean * c}; },
        ops::expand_dims(r.value(), {rank - 1}),
        ops::expand_dims(ops::mean(r.value(), -1, true), {rank - 1}),
        ops::expand_dims(c.value(), {rank - 2}))[0]);
  } else {
    const Tensor now =
        detail::apply_fused_many(square_program_, {&gradient, 1}, dtype, name().c_str())[0];
    blend(v, now);
  }
  const Tensor u = fused([](Expr g, Expr v) { return g / expr::sqrt(v); }, gradient, v.value());
  variable.assign(fused_many(
      dtype,
      [](Expr w, Expr u, Expr w_squares, Expr u_squares, Expr rho, Expr least, Expr threshold) {
        Expr size = expr::maximum(least, expr::sqrt(w_squares)) * rho;
        return std::vector<Expr>{w -
                                 size * u / expr::maximum(1.0, expr::sqrt(u_squares) / threshold)};
      },
      variable.value(), u, ops::mean(ops::square(variable.value())), ops::mean(ops::square(u)),
      rho_, Tensor(config.epsilon_2), Tensor(config.clip_threshold))[0]);
}

void register_adafactor(Catalog& c) { c.add<AdafactorOptimizer>("keras.optimizers.Adafactor"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::AdafactorOptimizer, optimizers::AdafactorConfig>;
}
