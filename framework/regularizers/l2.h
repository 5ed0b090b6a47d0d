// L2: a penalty on squares.
#pragma once
#include "weighted_sums.h"

namespace cornu::regularizers {

/// Options of L2, as in Keras.
struct L2Config {
  double l2 = 0.01;  ///< factor, at least 0
};

/// l2 * sum(x^2).
class L2Regularizer : public Configured<L2Regularizer, L2Config, WeightedSums> {
 public:
  /// Throws ValueError for a factor that is negative or not finite.
  explicit L2Regularizer(L2Config c);
};

using L2 = Ref<L2Regularizer>;  ///< a shared L2Regularizer, made from its options
/// L2 by its other name, with the factor as in Keras: `regularizers::l2(0.01)`.
L2 l2(double l2 = 0.01);

}  // namespace cornu::regularizers

namespace cornu {
extern template class Configured<regularizers::L2Regularizer, regularizers::L2Config,
                                 regularizers::WeightedSums>;
}
