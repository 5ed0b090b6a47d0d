// The classes of BinaryIoU.
#include "binary_iou.h"

#include "../framework/ops/core/cast.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

BinaryIoUMetric::BinaryIoUMetric(BinaryIoUConfig c) : OverlapOf(std::move(c)) {
  set(2, config.target_class_ids, {});
}

void BinaryIoUMetric::update_state(const Tensor& y_true, const Tensor& y_pred,
                                   const Tensor& sample_weight) {
  const Tensor p = ops::cast(y_pred, DType::float32);
  OverlapOfClasses::update_state(y_true, p >= Tensor(config.threshold), sample_weight);
}

void register_binary_iou(Catalog& c) { c.add<BinaryIoUMetric>("keras.metrics.BinaryIoU"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::BinaryIoUMetric, metrics::BinaryIoUConfig,
                        metrics::OverlapOfClasses>;
}
