// F1Score: the harmonic mean of precision and recall.
#pragma once
#include "f_beta_score.h"

namespace cornu::metrics {

struct F1ScoreConfig {
  std::optional<std::string> average = {};
  std::optional<double> threshold = {};
  std::string name = "f1_score";
  std::optional<DType> dtype = {};
};

/// FBetaScore with beta 1.
class F1ScoreMetric : public MetricOf<F1ScoreMetric, F1ScoreConfig, FScore> {
 public:
  explicit F1ScoreMetric(F1ScoreConfig c = {});
};

using F1Score = Ref<F1ScoreMetric>;

}  // namespace cornu::metrics

namespace cornu {
extern template class MetricOf<metrics::F1ScoreMetric, metrics::F1ScoreConfig, metrics::FScore>;
}
