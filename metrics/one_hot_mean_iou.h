// OneHotMeanIoU: intersection over union of classes.
#pragma once
#include "overlap_of_classes.h"

namespace cornu::metrics {

struct OneHotMeanIoUConfig {
  Required<int64_t> num_classes;
  std::string name = "one_hot_mean_io_u";
  std::optional<DType> dtype = {};  ///< int32 without a value
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_pred = false;
  int64_t axis = -1;
};

/// IoU of all classes, of targets that are one-hot along `axis`.
class OneHotMeanIoUMetric : public OverlapOf<OneHotMeanIoUMetric, OneHotMeanIoUConfig> {
 public:
  explicit OneHotMeanIoUMetric(OneHotMeanIoUConfig c);
};

using OneHotMeanIoU = Ref<OneHotMeanIoUMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::OneHotMeanIoUMetric, metrics::OneHotMeanIoUConfig,
                               metrics::OverlapOfClasses>;
}
