// The formula of MeanSquaredLogarithmicError.
#include "mean_squared_logarithmic_error.h"

namespace cornu::losses {

MeanSquaredLogarithmicErrorLoss::MeanSquaredLogarithmicErrorLoss(
    MeanSquaredLogarithmicErrorConfig c)
    : LossOf(std::move(c)) {
  set_formula([](Expr t, Expr p) {
    return expr::square(expr::log(expr::maximum(p, epsilon) + 1.0) -
                        expr::log(expr::maximum(t, epsilon) + 1.0));
  });
}

void register_mean_squared_logarithmic_error(Catalog& c) {
  c.add<MeanSquaredLogarithmicErrorLoss>("keras.losses.MeanSquaredLogarithmicError");
  c.add_alias("keras.losses", "msle", "MeanSquaredLogarithmicError");
  c.add_alias("keras.losses", "MSLE", "MeanSquaredLogarithmicError");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::MeanSquaredLogarithmicErrorLoss,
                      losses::MeanSquaredLogarithmicErrorConfig, losses::PairwiseLoss>;
}
