// The classes of OneHotMeanIoU.
#include "one_hot_mean_iou.h"

namespace cornu::metrics {

OneHotMeanIoUMetric::OneHotMeanIoUMetric(OneHotMeanIoUConfig c) : OverlapOf(std::move(c)) {
  set(*config.num_classes, all_classes(*config.num_classes),
      {config.ignore_class, false, config.sparse_y_pred, config.axis});
}

void register_one_hot_mean_iou(Catalog& c) {
  c.add<OneHotMeanIoUMetric>("keras.metrics.OneHotMeanIoU");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::OneHotMeanIoUMetric, metrics::OneHotMeanIoUConfig,
                        metrics::OverlapOfClasses>;
}
