// The formula of BinaryFocalCrossentropy.
#include "binary_focal_crossentropy.h"

namespace cornu::losses {

BinaryFocalCrossentropyLoss::BinaryFocalCrossentropyLoss(BinaryFocalCrossentropyConfig c)
    : LossOf(std::move(c)) {
  require_equal_shapes();
  set_formula(
      [o = config](Expr target, Expr x) {
        Expr t = o.label_smoothing != 0
                     ? target * (1.0 - o.label_smoothing) + 0.5 * o.label_smoothing
                     : target;
        Expr p = o.from_logits ? expr::sigmoid(x) : x;
        Expr q = clip(p, epsilon, 1.0 - epsilon);
        Expr crossentropy = -(t * expr::log(q) + (1.0 - t) * expr::log(1.0 - q));
        Expr hit = t * p + (1.0 - t) * (1.0 - p);
        Expr focal = expr::power(1.0 - hit, o.gamma) * crossentropy;
        return o.apply_class_balancing ? (t * o.alpha + (1.0 - t) * (1.0 - o.alpha)) * focal
                                       : focal;
      },
      Over::mean, config.axis);
}

void register_binary_focal_crossentropy(Catalog& c) {
  c.add<BinaryFocalCrossentropyLoss>("keras.losses.BinaryFocalCrossentropy");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::BinaryFocalCrossentropyLoss, losses::BinaryFocalCrossentropyConfig,
                      losses::PairwiseLoss>;
}
