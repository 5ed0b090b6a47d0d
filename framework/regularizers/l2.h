// L2: a penalty on squares.
#pragma once
#include "weighted_sums.h"

namespace cornu::regularizers {

/// Options of L2, as in Keras.
struct L2Config {
  double l2 = 0.01;  ///< factor, at least 0
  /// The option that may be given by its place: `L2(0.1)`.
  static L2Config positional(double factor) { return {.l2 = factor}; }
};

/// l2 * sum(x^2).
class L2Regularizer : public Configured<L2Regularizer, L2Config, WeightedSums> {
 public:
  /// Throws ValueError for a factor that is negative or not finite.
  explicit L2Regularizer(L2Config c);
};

using L2 = Ref<L2Regularizer>;  ///< a shared L2Regularizer, made from its options
using l2 = L2;                  ///< L2 by its other name

}  // namespace cornu::regularizers

namespace cornu {
extern template class Configured<regularizers::L2Regularizer, regularizers::L2Config,
                                 regularizers::WeightedSums>;
}
