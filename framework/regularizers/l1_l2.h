// L1L2: a penalty on absolute values and squares.
#pragma once
#include "weighted_sums.h"

namespace cornu::regularizers {

/// Options of L1L2, as in Keras.
struct L1L2Config {
  double l1 = 0.0;  ///< factor of absolute values, at least 0
  double l2 = 0.0;  ///< factor of squares, at least 0
  /// The options that may be given by their places: `L1L2(0.1, 0.2)`.
  static L1L2Config positional(double of_sizes, double of_squares = 0) {
    return {.l1 = of_sizes, .l2 = of_squares};
  }
};

/// l1 * sum(|x|) + l2 * sum(x^2).
class L1L2Regularizer : public Configured<L1L2Regularizer, L1L2Config, WeightedSums> {
 public:
  /// Throws ValueError for a factor that is negative or not finite.
  explicit L1L2Regularizer(L1L2Config c);
};

using L1L2 = Ref<L1L2Regularizer>;  ///< a shared L1L2Regularizer, made from its options
using l1_l2 = L1L2;                 ///< L1L2 by its other name

}  // namespace cornu::regularizers

namespace cornu {
extern template class Configured<regularizers::L1L2Regularizer, regularizers::L1L2Config,
                                 regularizers::WeightedSums>;
}
