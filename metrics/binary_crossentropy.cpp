// The loss that BinaryCrossentropy averages.
#include "binary_crossentropy.h"

#include "../losses/binary_crossentropy.h"

namespace cornu::metrics {

BinaryCrossentropyMetric::BinaryCrossentropyMetric(BinaryCrossentropyConfig c)
    : MetricOf(std::move(c)) {
  loss_ = losses::BinaryCrossentropy({.from_logits = config.from_logits,
                                      .label_smoothing = config.label_smoothing,
                                      .reduction = "none",
                                      .dtype = dtype()})
              .shared();
}

void register_binary_crossentropy(Catalog& c) {
  c.add<BinaryCrossentropyMetric>("keras.metrics.BinaryCrossentropy");
  c.add_alias("keras.metrics", "bce", "BinaryCrossentropy");
  c.add_alias("keras.metrics", "BCE", "BinaryCrossentropy");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::BinaryCrossentropyMetric, metrics::BinaryCrossentropyConfig,
                        metrics::LossMean>;
}
