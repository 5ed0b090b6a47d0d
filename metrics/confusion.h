// Counts of true and false positives and negatives at thresholds.
#pragma once
#include "../framework/base/loss.h"
#include "../framework/base/metric.h"
#include "../framework/ops/elementwise.h"

namespace cornu::metrics {

/// Thresholds, as the kernels compare with them: evenly spaced ones by the number of the interval
/// that holds a prediction, so that a prediction on a threshold is not subject to rounding.
class Thresholds {
 public:
  Thresholds() = default;
  /// Finds out whether they are 3 or more, evenly spaced from 0 to 1 but for small differences.
  explicit Thresholds(const std::vector<double>& values);
  int64_t size() const { return static_cast<int64_t>(values_.size()); }  ///< number of thresholds
  const std::vector<double>& values() const { return values_; }          ///< as given

  /// Whether they are 3 or more, evenly spaced from 0 to 1.
  bool even() const { return even_; }
  /// Whether the first or last lies outside [0, 1], so that 0 exceeds the first one.
  bool beyond() const { return beyond_; }

 private:
  std::vector<double> values_;
  bool even_ = false;
  bool beyond_ = false;
};

/// Weighted numbers at each threshold (t), or at each threshold and label (t, labels); `positives`
/// and `negatives` are those of all samples: scalars or (labels).
struct Confusion {
  Tensor true_positives;   ///< targets other than 0 predicted as positive
  Tensor false_positives;  ///< targets of 0 predicted as positive
  Tensor positives;        ///< targets other than 0
  Tensor negatives;        ///< targets of 0
};

/// Which entries count, and whether labels count separately.
struct ConfusionOptions {
  std::optional<int64_t> top_k = {};     ///< only the k largest of the last axis are positive
  std::optional<int64_t> class_id = {};  ///< only this entry of the last axis
  bool multi_label = false;              ///< separately for each entry of the last axis
  Tensor label_weights = {};             ///< a weight for each entry of the last axis
};

/// A prediction above a threshold is positive; targets are 0 or not. Throws ShapeError when y_true,
/// y_pred and sample_weight do not fit.
Confusion confusion(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                    const Thresholds& thresholds, const ConfusionOptions& options,
                    const std::string& who);

/// The option `thresholds` of Precision and Recall. Throws ValueError outside [0, 1].
Thresholds thresholds_of(const std::optional<std::vector<double>>& thresholds, bool top_k,
                         const std::string& who);

/// x / y, 0 where y is 0.
Expr quotient(Expr x, Expr y);

}  // namespace cornu::metrics
