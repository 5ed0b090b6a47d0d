// The formula of BinaryCrossentropy.
#include "binary_crossentropy.h"

namespace cornu::losses {

BinaryCrossentropyLoss::BinaryCrossentropyLoss(BinaryCrossentropyConfig c) : LossOf(std::move(c)) {
  require_equal_shapes();
  set_formula(
      [logits = config.from_logits, smoothing = config.label_smoothing](Expr target, Expr p) {
        Expr t = smoothing != 0 ? target * (1.0 - smoothing) + 0.5 * smoothing : target;
        if (logits) return t * expr::softplus(-p) + (1.0 - t) * expr::softplus(p);
        Expr q = clip(p, epsilon, 1.0 - epsilon);
        return -(t * expr::log(q) + (1.0 - t) * expr::log(1.0 - q));
      },
      Over::mean, config.axis);
}

void register_binary_crossentropy(Catalog& c) {
  c.add<BinaryCrossentropyLoss>("keras.losses.BinaryCrossentropy");
  c.add_alias("keras.losses", "bce", "BinaryCrossentropy");
  c.add_alias("keras.losses", "BCE", "BinaryCrossentropy");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::BinaryCrossentropyLoss, losses::BinaryCrossentropyConfig,
                      losses::PairwiseLoss>;
}
