// What CosineSimilarity averages.
#include "cosine_similarity.h"

#include "../losses/cosine_similarity.h"

namespace cornu::metrics {

CosineSimilarityMetric::CosineSimilarityMetric(CosineSimilarityConfig c) : MetricOf(std::move(c)) {
  loss_ = losses::CosineSimilarity({.axis = config.axis, .reduction = "none", .dtype = dtype()})
              .shared();
}

Tensor CosineSimilarityMetric::values(const Tensor& y_true, const Tensor& y_pred) {
  return ops::negative(loss_->call(y_true, y_pred));
}

Value::Dict CosineSimilarityMetric::get_config() const {
  Value::Dict dict = MetricOf::get_config();
  if (config.axis == -1)
    std::erase_if(dict, [](const auto& entry) { return entry.first == "axis"; });
  return dict;
}

void register_cosine_similarity(Catalog& c) {
  c.add<CosineSimilarityMetric>("keras.metrics.CosineSimilarity");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::CosineSimilarityMetric, metrics::CosineSimilarityConfig,
                        metrics::MeanOf>;
}
