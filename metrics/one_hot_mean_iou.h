// OneHotMeanIoU: intersection over union of classes.
#pragma once
#include "overlap_of_classes.h"

namespace cornu::metrics {

/// Options of OneHotMeanIoU, as in Keras.
struct OneHotMeanIoUConfig {
  Required<int64_t> num_classes;           ///< number of classes
  std::string name = "one_hot_mean_io_u";  ///< name of the metric in logs
  OptionalDType dtype = {};                ///< dtype of the state and of the result; none: int32
  /// Class of samples that do not count; none: all count.
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_pred = false;  ///< y_pred are class numbers, not scores along `axis`
  int64_t axis = -1;           ///< axis of the classes
};

/// MeanIoU of targets that are one-hot along `axis`: y_true (..., num_classes), y_pred scores of
/// that shape or, with sparse_y_pred, class numbers (...).
class OneHotMeanIoUMetric : public OverlapOf<OneHotMeanIoUMetric, OneHotMeanIoUConfig> {
 public:
  /// Throws ValueError unless num_classes is positive.
  explicit OneHotMeanIoUMetric(OneHotMeanIoUConfig c);
};

/// A shared OneHotMeanIoUMetric, made from its options.
using OneHotMeanIoU = Ref<OneHotMeanIoUMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::OneHotMeanIoUMetric, metrics::OneHotMeanIoUConfig,
                               metrics::OverlapOfClasses>;
}
