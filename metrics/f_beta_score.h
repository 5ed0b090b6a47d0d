// FBetaScore: a mean of precision and recall.
#pragma once
#include "../framework/base/metric.h"

namespace cornu::metrics {

/// Base of F scores. State, made by the first update: true positives, false positives, false
/// negatives and targets, of each class or of all together.
class FScore : public Metric {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  /// A scalar, or (classes) without an average. Throws StateError before any data without one.
  Tensor result() override;

 protected:
  using Metric::Metric;
  /// Throws ValueError for an unknown average, a beta that is not positive, or a threshold outside
  /// (0, 1].
  void set(const std::optional<std::string>& average, double beta,
           const std::optional<double>& threshold);

 private:
  std::string average_;  // "" for none
  double beta_ = 1;
  std::optional<double> threshold_;
  Variable true_positives_, false_positives_, false_negatives_, weights_;
};

/// Options of FBetaScore, as in Keras.
struct FBetaScoreConfig {
  /// "micro", "macro", "weighted"; none: a score for each class.
  std::optional<std::string> average = {};
  double beta = 1.0;  ///< weight of recall relative to precision
  /// Above which a prediction is positive; none: the largest of a sample.
  std::optional<double> threshold = {};
  std::string name = "fbeta_score";  ///< name of the metric in logs
  OptionalDType dtype = {};          ///< dtype of the state and of the result; none: float32
};

/// (1 + beta^2) precision recall / (beta^2 precision + recall) of y_true and y_pred (samples,
/// classes): of each class, their mean ("macro"), their mean by the number of targets ("weighted"),
/// or of all counts together ("micro").
class FBetaScoreMetric : public MetricOf<FBetaScoreMetric, FBetaScoreConfig, FScore> {
 public:
  /// Throws ValueError for an unknown average, a beta that is not positive, or a threshold outside
  /// (0, 1].
  explicit FBetaScoreMetric(FBetaScoreConfig c = {});
};

using FBetaScore = Ref<FBetaScoreMetric>;  ///< a shared FBetaScoreMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::FBetaScoreMetric, metrics::FBetaScoreConfig,
                               metrics::FScore>;
}
