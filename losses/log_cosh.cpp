// The formula of LogCosh.
#include "log_cosh.h"

namespace cornu::losses {

LogCoshLoss::LogCoshLoss(LogCoshConfig c) : LossOf(std::move(c)) {
  set_formula([](Expr t, Expr p) {
    Expr x = p - t;
    return x + expr::softplus(x * -2.0) - 0.6931471805599453;
  });
}

void register_log_cosh(Catalog& c) {
  c.add<LogCoshLoss>("keras.losses.LogCosh");
  c.add_alias("keras.losses", "logcosh", "LogCosh");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::LogCoshLoss, losses::LogCoshConfig, losses::PairwiseLoss>;
}
