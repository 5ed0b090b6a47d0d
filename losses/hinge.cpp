// The formula of Hinge.
#include "hinge.h"

namespace cornu::losses {

HingeLoss::HingeLoss(HingeConfig c) : LossOf(std::move(c)) {
  set_formula([](Expr t, Expr p) { return expr::maximum(1.0 - t * p, 0.0); });
}

void register_hinge(Catalog& c) { c.add<HingeLoss>("keras.losses.Hinge"); }

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::HingeLoss, losses::HingeConfig, losses::PairwiseLoss>;
}
