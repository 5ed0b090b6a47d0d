// F1Score.
#include "f1_score.h"

namespace cornu::metrics {

F1ScoreMetric::F1ScoreMetric(F1ScoreConfig c) : MetricOf(std::move(c)) {
  set(config.average, 1, config.threshold);
}

void register_f1_score(Catalog& c) { c.add<F1ScoreMetric>("keras.metrics.F1Score"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::F1ScoreMetric, metrics::F1ScoreConfig, metrics::FScore>;
}
