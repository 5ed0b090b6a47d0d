// The formula of MeanAbsolutePercentageError.
#include "mean_absolute_percentage_error.h"

namespace cornu::losses {

MeanAbsolutePercentageErrorLoss::MeanAbsolutePercentageErrorLoss(
    MeanAbsolutePercentageErrorConfig c)
    : LossOf(std::move(c)) {
  set_formula([](Expr t, Expr p) {
    return 100.0 * expr::absolute((t - p) / expr::maximum(expr::absolute(t), epsilon));
  });
}

void register_mean_absolute_percentage_error(Catalog& c) {
  c.add<MeanAbsolutePercentageErrorLoss>("keras.losses.MeanAbsolutePercentageError");
  c.add_alias("keras.losses", "mape", "MeanAbsolutePercentageError");
  c.add_alias("keras.losses", "MAPE", "MeanAbsolutePercentageError");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::MeanAbsolutePercentageErrorLoss,
                      losses::MeanAbsolutePercentageErrorConfig, losses::PairwiseLoss>;
}
