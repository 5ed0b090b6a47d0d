// The formula of Poisson.
#include "poisson.h"

namespace cornu::losses {

PoissonLoss::PoissonLoss(PoissonConfig c) : LossOf(std::move(c)) {
  set_formula([](Expr t, Expr p) { return p - t * expr::log(p + epsilon); });
}

void register_poisson(Catalog& c) { c.add<PoissonLoss>("keras.losses.Poisson"); }

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::PoissonLoss, losses::PoissonConfig, losses::PairwiseLoss>;
}
