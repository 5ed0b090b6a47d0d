// L2.
#include "l2.h"

namespace cornu::regularizers {

L2Regularizer::L2Regularizer(L2Config c) : Configured(std::move(c)) { set_factors(0, config.l2); }

void register_l2(Catalog& c) { c.add<L2Regularizer>("keras.regularizers.L2"); }

}  // namespace cornu::regularizers

namespace cornu {
template class Configured<regularizers::L2Regularizer, regularizers::L2Config,
                          regularizers::WeightedSums>;
}
