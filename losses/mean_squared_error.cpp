// The formula of MeanSquaredError.
#include "mean_squared_error.h"

namespace cornu::losses {

MeanSquaredErrorLoss::MeanSquaredErrorLoss(MeanSquaredErrorConfig c) : LossOf(std::move(c)) {
  set_formula([](Expr t, Expr p) { return expr::square(t - p); });
}

void register_mean_squared_error(Catalog& c) {
  c.add<MeanSquaredErrorLoss>("keras.losses.MeanSquaredError");
  c.add_alias("keras.losses", "mse", "MeanSquaredError");
  c.add_alias("keras.losses", "MSE", "MeanSquaredError");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::MeanSquaredErrorLoss, losses::MeanSquaredErrorConfig,
                      losses::PairwiseLoss>;
}
