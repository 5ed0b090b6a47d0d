// The classes of MeanIoU.
#include "mean_iou.h"

namespace cornu::metrics {

MeanIoUMetric::MeanIoUMetric(MeanIoUConfig c) : OverlapOf(std::move(c)) {
  set(*config.num_classes, all_classes(*config.num_classes),
      {config.ignore_class, config.sparse_y_true, config.sparse_y_pred, config.axis});
}

void register_mean_iou(Catalog& c) { c.add<MeanIoUMetric>("keras.metrics.MeanIoU"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::MeanIoUMetric, metrics::MeanIoUConfig, metrics::OverlapOfClasses>;
}
