// L1.
#include "l1.h"

namespace cornu::regularizers {

L1Regularizer::L1Regularizer(L1Config c) : Configured(std::move(c)) { set_factors(config.l1, 0); }

Value::Dict L1Regularizer::get_config() const {
  return {{"l1", static_cast<double>(static_cast<float>(config.l1))}};
}

void register_l1(Catalog& c) { c.add<L1Regularizer>("keras.regularizers.L1"); }

}  // namespace cornu::regularizers

namespace cornu {
template class Configured<regularizers::L1Regularizer, regularizers::L1Config,
                          regularizers::WeightedSums>;
}
