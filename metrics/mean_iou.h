// MeanIoU: intersection over union of classes.
#pragma once
#include "overlap_of_classes.h"

namespace cornu::metrics {

struct MeanIoUConfig {
  Required<int64_t> num_classes;
  std::string name = "mean_io_u";
  std::optional<DType> dtype = {};  ///< int32 without a value
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_true = true;
  bool sparse_y_pred = true;
  int64_t axis = -1;
};

/// IoU of all classes.
class MeanIoUMetric : public OverlapOf<MeanIoUMetric, MeanIoUConfig> {
 public:
  explicit MeanIoUMetric(MeanIoUConfig c);
};

using MeanIoU = Ref<MeanIoUMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanIoUMetric, metrics::MeanIoUConfig,
                               metrics::OverlapOfClasses>;
}
