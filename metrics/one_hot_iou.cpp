// The classes of OneHotIoU.
#include "one_hot_iou.h"

namespace cornu::metrics {

OneHotIoUMetric::OneHotIoUMetric(OneHotIoUConfig c) : OverlapOf(std::move(c)) {
  set(*config.num_classes, *config.target_class_ids,
      {config.ignore_class, false, config.sparse_y_pred, config.axis});
}

void register_one_hot_iou(Catalog& c) { c.add<OneHotIoUMetric>("keras.metrics.OneHotIoU"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::OneHotIoUMetric, metrics::OneHotIoUConfig,
                        metrics::OverlapOfClasses>;
}
