// The formula of MeanAbsoluteError.
#include "mean_absolute_error.h"

namespace cornu::losses {

MeanAbsoluteErrorLoss::MeanAbsoluteErrorLoss(MeanAbsoluteErrorConfig c) : LossOf(std::move(c)) {
  set_formula([](Expr t, Expr p) { return expr::absolute(t - p); });
}

void register_mean_absolute_error(Catalog& c) {
  c.add<MeanAbsoluteErrorLoss>("keras.losses.MeanAbsoluteError");
  c.add_alias("keras.losses", "mae", "MeanAbsoluteError");
  c.add_alias("keras.losses", "MAE", "MeanAbsoluteError");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::MeanAbsoluteErrorLoss, losses::MeanAbsoluteErrorConfig,
                      losses::PairwiseLoss>;
}
