// The classes of IoU.
#include "iou.h"

namespace cornu::metrics {

IoUMetric::IoUMetric(IoUConfig c) : OverlapOf(std::move(c)) {
  set(*config.num_classes, *config.target_class_ids,
      {config.ignore_class, config.sparse_y_true, config.sparse_y_pred, config.axis});
}

void register_iou(Catalog& c) { c.add<IoUMetric>("keras.metrics.IoU"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::IoUMetric, metrics::IoUConfig, metrics::OverlapOfClasses>;
}
