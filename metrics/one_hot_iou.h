// OneHotIoU: intersection over union of classes.
#pragma once
#include "overlap_of_classes.h"

namespace cornu::metrics {

struct OneHotIoUConfig {
  Required<int64_t> num_classes;
  Required<std::vector<int64_t>> target_class_ids;
  std::string name = "one_hot_io_u";
  std::optional<DType> dtype = {};  ///< int32 without a value
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_pred = false;
  int64_t axis = -1;
};

/// IoU of targets that are one-hot along `axis`.
class OneHotIoUMetric : public OverlapOf<OneHotIoUMetric, OneHotIoUConfig> {
 public:
  explicit OneHotIoUMetric(OneHotIoUConfig c);
};

using OneHotIoU = Ref<OneHotIoUMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::OneHotIoUMetric, metrics::OneHotIoUConfig,
                               metrics::OverlapOfClasses>;
}
