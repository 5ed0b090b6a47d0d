// F1Score: the harmonic mean of precision and recall.
#pragma once
#include "f_beta_score.h"

namespace cornu::metrics {

/// Options of F1Score, as in Keras.
struct F1ScoreConfig {
  /// "micro", "macro", "weighted"; none: a score for each class.
  std::optional<std::string> average = {};
  /// Above which a prediction is positive; none: the largest of a sample.
  std::optional<double> threshold = {};
  std::string name = "f1_score";  ///< name of the metric in logs
  OptionalDType dtype = {};       ///< dtype of the state and of the result; none: float32
};

/// FBetaScore with beta 1.
class F1ScoreMetric : public MetricOf<F1ScoreMetric, F1ScoreConfig, FScore> {
 public:
  /// Throws ValueError for an unknown average or a threshold outside (0, 1].
  explicit F1ScoreMetric(F1ScoreConfig c = {});
};

using F1Score = Ref<F1ScoreMetric>;  ///< a shared F1ScoreMetric, made from its options

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::F1ScoreMetric, metrics::F1ScoreConfig, metrics::FScore>;
}
