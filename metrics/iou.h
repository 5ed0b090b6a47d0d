// IoU: intersection over union of classes.
#pragma once
#include "overlap_of_classes.h"

namespace cornu::metrics {

/// Options of IoU, as in Keras.
struct IoUConfig {
  Required<int64_t> num_classes;                    ///< number of classes
  Required<std::vector<int64_t>> target_class_ids;  ///< classes whose mean is the result
  std::string name = "io_u";                        ///< name of the metric in logs
  /// Dtype of the state and of the result; none: int32.
  OptionalDType dtype = {};
  /// Class of samples that do not count; none: all count.
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_true = true;  ///< y_true are class numbers, not scores along `axis`
  bool sparse_y_pred = true;  ///< y_pred are class numbers, not scores along `axis`
  int64_t axis = -1;          ///< axis of the classes
};

/// The mean over the classes target_class_ids of true positives / (true positives + false positives
/// + false negatives); classes that do not occur have no part in it. y_true and y_pred are class
/// numbers of any shape, or scores along `axis` where sparse_y_true or sparse_y_pred is false.
/// Samples of class ignore_class do not count. Throws ValueError for a target class out of range.
class IoUMetric : public OverlapOf<IoUMetric, IoUConfig> {
 public:
  /// Throws ValueError unless num_classes is positive and target_class_ids has classes, each in [0,
  /// num_classes).
  explicit IoUMetric(IoUConfig c);
};

using IoU = Ref<IoUMetric>;  ///< a shared IoUMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::IoUMetric, metrics::IoUConfig, metrics::OverlapOfClasses>;
}
