// Penalties as reductions of a program.
#include "weighted_sums.h"

#include <fmt/core.h>

#include <cmath>

#include "../base/loss.h"

namespace cornu::regularizers {

void check_factor(const char* option, double factor) {
  if (!(factor >= 0) || std::isinf(factor))
    throw ValueError(fmt::format("{} must be a number of at least 0, found {}.", option, factor));
}

void WeightedSums::set_factors(double l1, double l2) {
  check_factor("l1", l1);
  check_factor("l2", l2);
  program_ = backend::Program::make(1, [&](const std::vector<Expr>& inputs) -> std::vector<Expr> {
    const Expr x = inputs[0];
    if (l2 == 0) return {l1 * expr::absolute(x)};
    if (l1 == 0) return {l2 * expr::square(x)};
    return {l1 * expr::absolute(x) + l2 * expr::square(x)};
  });
}

Tensor WeightedSums::operator()(const Tensor& x) {
  return reduce_program(program_, {&x, 1}, {}, 1, x.dtype(), "regularizer");
}

}  // namespace cornu::regularizers
