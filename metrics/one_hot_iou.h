// OneHotIoU: intersection over union of classes.
#pragma once
#include "overlap_of_classes.h"

namespace cornu::metrics {

/// Options of OneHotIoU, as in Keras.
struct OneHotIoUConfig {
  Required<int64_t> num_classes;                    ///< number of classes
  Required<std::vector<int64_t>> target_class_ids;  ///< classes whose mean is the result
  std::string name = "one_hot_io_u";                ///< name of the metric in logs
  /// Dtype of the state and of the result; none: int32.
  OptionalDType dtype = {};
  /// Class of samples that do not count; none: all count.
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_pred = false;  ///< y_pred are class numbers, not scores along `axis`
  int64_t axis = -1;           ///< axis of the classes
};

/// IoU of targets that are one-hot along `axis`: y_true (..., num_classes), y_pred scores of that
/// shape or, with sparse_y_pred, class numbers (...). Throws ValueError for a target class out of
/// range.
class OneHotIoUMetric : public OverlapOf<OneHotIoUMetric, OneHotIoUConfig> {
 public:
  /// Throws ValueError unless num_classes is positive and target_class_ids has classes, each in [0,
  /// num_classes).
  explicit OneHotIoUMetric(OneHotIoUConfig c);
};

using OneHotIoU = Ref<OneHotIoUMetric>;  ///< a shared OneHotIoUMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::OneHotIoUMetric, metrics::OneHotIoUConfig,
                               metrics::OverlapOfClasses>;
}
