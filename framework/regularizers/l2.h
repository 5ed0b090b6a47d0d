// L2: a penalty on squares.
#pragma once
#include "weighted_sums.h"

namespace cornu::regularizers {

struct L2Config {
  double l2 = 0.01;
};

/// l2 * sum(x^2).
class L2Regularizer : public Configured<L2Regularizer, L2Config, WeightedSums> {
 public:
  explicit L2Regularizer(L2Config c);
};

using L2 = Ref<L2Regularizer>;

}  // namespace cornu::regularizers

namespace cornu {
extern template class Configured<regularizers::L2Regularizer, regularizers::L2Config,
                                 regularizers::WeightedSums>;
}
