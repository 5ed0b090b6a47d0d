// MeanIoU: intersection over union of classes.
#pragma once
#include "overlap_of_classes.h"

namespace cornu::metrics {

/// Options of MeanIoU, as in Keras.
struct MeanIoUConfig {
  Required<int64_t> num_classes;   ///< number of classes
  std::string name = "mean_io_u";  ///< name of the metric in logs
  OptionalDType dtype = {};        ///< dtype of the state and of the result; none: int32
  /// Class of samples that do not count; none: all count.
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_true = true;  ///< y_true are class numbers, not scores along `axis`
  bool sparse_y_pred = true;  ///< y_pred are class numbers, not scores along `axis`
  int64_t axis = -1;          ///< axis of the classes
};

/// The mean over all classes of intersection over union, true positives / (true positives + false
/// positives + false negatives); classes that do not occur are left out. y_true and y_pred as for
/// IoU.
class MeanIoUMetric : public OverlapOf<MeanIoUMetric, MeanIoUConfig> {
 public:
  explicit MeanIoUMetric(MeanIoUConfig c);  ///< throws ValueError unless num_classes is positive
};

using MeanIoU = Ref<MeanIoUMetric>;  ///< a shared MeanIoUMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::MeanIoUMetric, metrics::MeanIoUConfig,
                               metrics::OverlapOfClasses>;
}
