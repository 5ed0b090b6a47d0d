// The formula of SquaredHinge.
#include "squared_hinge.h"

namespace cornu::losses {

SquaredHingeLoss::SquaredHingeLoss(SquaredHingeConfig c) : LossOf(std::move(c)) {
  set_formula([](Expr t, Expr p) { return expr::square(expr::maximum(1.0 - t * p, 0.0)); });
}

void register_squared_hinge(Catalog& c) { c.add<SquaredHingeLoss>("keras.losses.SquaredHinge"); }

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::SquaredHingeLoss, losses::SquaredHingeConfig, losses::PairwiseLoss>;
}
