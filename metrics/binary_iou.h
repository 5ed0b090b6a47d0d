// BinaryIoU: intersection over union of classes.
#pragma once
#include "overlap_of_classes.h"

namespace cornu::metrics {

/// Options of BinaryIoU, as in Keras.
struct BinaryIoUConfig {
  /// 0, 1 or both: the classes whose mean is the result.
  std::vector<int64_t> target_class_ids = {0, 1};
  double threshold = 0.5;            ///< from which on a prediction is class 1
  std::string name = "binary_io_u";  ///< name of the metric in logs
  OptionalDType dtype = {};          ///< dtype of the state and of the result; none: int32
};

/// IoU of classes 0 and 1 (or one of them), where a prediction of at least `threshold` is class 1.
class BinaryIoUMetric : public OverlapOf<BinaryIoUMetric, BinaryIoUConfig> {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  /// Throws ValueError unless target_class_ids are 0, 1 or both.
  explicit BinaryIoUMetric(BinaryIoUConfig c = {});
  /// Counts predictions of at least `threshold` as class 1, others as class 0.
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
};

using BinaryIoU = Ref<BinaryIoUMetric>;  ///< a shared BinaryIoUMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::BinaryIoUMetric, metrics::BinaryIoUConfig,
                               metrics::OverlapOfClasses>;
}
