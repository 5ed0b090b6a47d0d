// The formula of KLDivergence.
#include "kl_divergence.h"

namespace cornu::losses {

KLDivergenceLoss::KLDivergenceLoss(KLDivergenceConfig c) : LossOf(std::move(c)) {
  set_formula(
      [](Expr t, Expr p) {
        Expr q = clip(t, epsilon, 1.0);
        return q * expr::log(q / clip(p, epsilon, 1.0));
      },
      Over::sum);
}

void register_kl_divergence(Catalog& c) {
  c.add<KLDivergenceLoss>("keras.losses.KLDivergence");
  c.add_alias("keras.losses", "kld", "KLDivergence");
  c.add_alias("keras.losses", "KLD", "KLDivergence");
  c.add_alias("keras.losses", "kullback_leibler_divergence", "KLDivergence");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::KLDivergenceLoss, losses::KLDivergenceConfig, losses::PairwiseLoss>;
}
