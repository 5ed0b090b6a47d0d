// OrthogonalRegularizer.
#include "orthogonal_regularizer.h"

#include <fmt/core.h>

#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/products.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"

namespace cornu::regularizers {

OrthogonalPenalty::OrthogonalPenalty(OrthogonalRegularizerConfig c) : Configured(std::move(c)) {
  check_factor("factor", config.factor);
  if (config.mode != "rows" && config.mode != "columns")
    throw ValueError(fmt::format("mode '{}' is not \"rows\" or \"columns\".", config.mode));
}

Tensor OrthogonalPenalty::operator()(const Tensor& x) {
  if (x.rank() != 2)
    throw ShapeError(
        fmt::format("OrthogonalRegularizer: expected a matrix, found shape {}.", x.shape().str()));
  const bool rows = config.mode == "rows";
  const int axis = rows ? 1 : 0;
  const Tensor unit =
      // The least length is 1e-12; its square keeps the root's derivative finite at zero.
      fused([](Expr x, Expr squares) { return x * expr::rsqrt(expr::maximum(squares, 1e-24)); }, x,
            ops::sum(ops::square(x), axis, true));
  const Tensor cosines = ops::matmul_transposed(unit, unit, !rows, rows);
  const auto n = static_cast<double>(x.shape(1 - axis));
  const Tensor others = Tensor(1.0) - ops::eye(x.shape(1 - axis), {}, 0, x.dtype());
  return ops::sum(ops::absolute(cosines * others)) * Tensor(config.factor / (n * (n - 1)));
}

Value::Dict OrthogonalPenalty::get_config() const {
  return {{"factor", static_cast<double>(static_cast<float>(config.factor))},
          {"mode", config.mode}};
}

void register_orthogonal_regularizer(Catalog& c) {
  c.add<OrthogonalPenalty>("keras.regularizers.OrthogonalRegularizer");
}

}  // namespace cornu::regularizers

namespace cornu {
template class Configured<regularizers::OrthogonalPenalty,
                          regularizers::OrthogonalRegularizerConfig, Regularizer>;
}
