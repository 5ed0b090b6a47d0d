// The formula of Huber.
#include "huber.h"

namespace cornu::losses {

HuberLoss::HuberLoss(HuberConfig c) : LossOf(std::move(c)) {
  set_formula([delta = config.delta](Expr t, Expr p) {
    Expr x = p - t;
    Expr size = expr::absolute(x);
    return expr::select(size <= delta, 0.5 * expr::square(x), delta * size - 0.5 * delta * delta);
  });
}

Value::Dict HuberLoss::get_config() const {
  Value::Dict dict = LossOf::get_config();
  if (config.delta == 1.0)
    std::erase_if(dict, [](const auto& entry) { return entry.first == "delta"; });
  return dict;
}

void register_huber(Catalog& c) {
  c.add<HuberLoss>("keras.losses.Huber");
  c.add_alias("keras.losses", "huber_loss", "Huber");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::HuberLoss, losses::HuberConfig, losses::PairwiseLoss>;
}
