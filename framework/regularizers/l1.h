// L1: a penalty on absolute values.
#pragma once
#include "weighted_sums.h"

namespace cornu::regularizers {

/// Options of L1, as in Keras.
struct L1Config {
  double l1 = 0.01;  ///< factor, at least 0
  /// The option that may be given by its place: `L1(0.1)`.
  static L1Config positional(double factor) { return {.l1 = factor}; }
};

/// l1 * sum(|x|).
class L1Regularizer : public Configured<L1Regularizer, L1Config, WeightedSums> {
 public:
  /// Throws ValueError for a factor that is negative or not finite.
  explicit L1Regularizer(L1Config c);
  /// As Keras, with the factor rounded to float32.
  Value::Dict get_config() const override;
};

using L1 = Ref<L1Regularizer>;  ///< a shared L1Regularizer, made from its options
using l1 = L1;                  ///< L1 by its other name

}  // namespace cornu::regularizers

namespace cornu {
extern template class Configured<regularizers::L1Regularizer, regularizers::L1Config,
                                 regularizers::WeightedSums>;
}
