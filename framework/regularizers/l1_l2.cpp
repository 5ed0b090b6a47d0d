// L1L2.
#include "l1_l2.h"

namespace cornu::regularizers {

L1L2Regularizer::L1L2Regularizer(L1L2Config c) : Configured(std::move(c)) {
  set_factors(config.l1, config.l2);
}

void register_l1_l2(Catalog& c) {
  c.add<L1L2Regularizer>("keras.regularizers.L1L2");
  c.add_alias("keras.regularizers", "l1_l2", "L1L2");
  c.add_alias("keras.regularizers", "l1l2", "L1L2");
}

}  // namespace cornu::regularizers

namespace cornu {
template class Configured<regularizers::L1L2Regularizer, regularizers::L1L2Config,
                          regularizers::WeightedSums>;
}
