// L1L2: a penalty on absolute values and squares.
#pragma once
#include "weighted_sums.h"

namespace cornu::regularizers {

struct L1L2Config {
  double l1 = 0.0;
  double l2 = 0.0;
};

/// l1 * sum(|x|) + l2 * sum(x^2).
class L1L2Regularizer : public Configured<L1L2Regularizer, L1L2Config, WeightedSums> {
 public:
  explicit L1L2Regularizer(L1L2Config c);
};

using L1L2 = Ref<L1L2Regularizer>;

}  // namespace cornu::regularizers

namespace cornu {
extern template class Configured<regularizers::L1L2Regularizer, regularizers::L1L2Config,
                                 regularizers::WeightedSums>;
}
