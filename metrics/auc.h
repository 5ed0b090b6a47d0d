// AUC: the area under a curve over thresholds.
#pragma once
#include "confusion.h"

namespace cornu::metrics {

/// Options of AUC, as in Keras.
struct AUCConfig {
  int64_t num_thresholds = 200;  ///< number of thresholds, evenly spaced in [0, 1]
  std::string curve = "ROC";     ///< "ROC", "PR" or "PRGAIN"
  /// "interpolation", "minoring" or "majoring".
  std::string summation_method = "interpolation";
  std::string name = "auc";  ///< name of the metric in logs
  OptionalDType dtype = {};  ///< dtype of the state and of the result; none: float32
  /// Used instead of num_thresholds, in [0, 1]; 0 and 1 are added.
  OptionalList<std::vector<double>> thresholds = {};
  bool multi_label = false;  ///< an area for each label (samples, labels), then their mean
  /// Number of labels with multi_label; none: from the first batch.
  std::optional<int64_t> num_labels = {};
  /// A weight for each label; none: all equal.
  OptionalList<std::vector<double>> label_weights = {};
  bool from_logits = false;  ///< apply a sigmoid to y_pred first
};

/// The area under the ROC curve (recall over false positive rate), the PR curve (precision over
/// recall) or the PRGAIN curve (their gains, https://papers.nips.cc/paper/5867), from counts at
/// num_thresholds thresholds; summation_method is "interpolation", "minoring" or "majoring".
/// `thresholds` (inside [0, 1], 0 and 1 are added) replace num_thresholds. With multi_label the
/// areas of the labels (samples, labels) are averaged, weighted by label_weights; without it these
/// weigh the samples' entries. Throws ValueError for an unknown curve or summation_method, and for
/// fewer than two thresholds.
class AUCMetric : public MetricOf<AUCMetric, AUCConfig, Metric> {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  /// Throws ValueError for an unknown curve or summation_method, num_thresholds below 2, or
  /// num_labels without multi_label.
  explicit AUCMetric(AUCConfig c = {});
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  Tensor result() override;
  /// With the label weights as a tensor, and without thresholds unless they were given.
  Value::Dict get_config() const override;
  /// Takes the label weights as a tensor or as a list. Throws ValueError for missing, unknown or
  /// wrong options.
  static std::shared_ptr<AUCMetric> from_config(Value::Dict dict);

 private:
  enum class Curve : uint8_t { roc, pr, prgain };
  enum class Summation : uint8_t { interpolation, minoring, majoring };

  void make_state(const Shape& shape);
  Tensor interpolated_pr() const;
  Tensor over_labels(const Tensor& terms) const;

  Curve curve_ = Curve::roc;
  Summation summation_ = Summation::interpolation;
  Thresholds thresholds_;
  Tensor label_weights_;
  Variable true_positives_, false_positives_, true_negatives_, false_negatives_;
};

using AUC = Ref<AUCMetric>;  ///< a shared AUCMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::AUCMetric, metrics::AUCConfig, Metric>;
}
