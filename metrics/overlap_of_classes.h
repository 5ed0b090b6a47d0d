// What metrics of overlapping classes share.
#pragma once
#include "../framework/base/metric.h"
#include "../framework/ops/op.h"

namespace cornu::metrics {

/// How a metric reads classes.
struct ClassReading {
  std::optional<int64_t> ignore_class = {};  ///< samples of this target do not count
  bool sparse_y_true = true;                 ///< class numbers; else scores along `axis`
  bool sparse_y_pred = true;                 ///< the same of predictions
  int64_t axis = -1;                         ///< axis of the classes
};

/// Base of metrics of the overlap of targets and predictions, class by class. State: the weighted
/// numbers (classes, classes) of samples by target and prediction; those of classes out of range
/// are not counted. Weights become the metric's dtype, of which int32 is the default.
class OverlapOfClasses : public Metric {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  /// The mean over the target classes that occur of intersection / (union + 1e-7), float32.
  Tensor result() override;

 protected:
  /// `set` must follow.
  OverlapOfClasses(std::string name, DType dtype) : Metric(std::move(name), dtype) {}
  /// Throws ValueError for a target class that is out of range.
  void set(int64_t num_classes, const std::vector<int64_t>& target_class_ids,
           const ClassReading& reading);
  /// 0, 1, ..., num_classes - 1.
  static std::vector<int64_t> all_classes(int64_t num_classes);

 private:
  int64_t classes_ = 0;
  ClassReading reading_;
  Tensor targets_;
  Variable counts_;
};

/// MetricOf with int32 as the default dtype.
template <class Self, class C>
class OverlapOf : public MetricOf<Self, C, OverlapOfClasses> {
 public:
  /// Takes the options over, with int32 for a missing dtype.
  explicit OverlapOf(C c) : MetricOf<Self, C, OverlapOfClasses>(with_dtype(std::move(c))) {}

 private:
  static C with_dtype(C c) {
    if (!c.dtype) c.dtype = DType::int32;
    return c;
  }
};

}  // namespace cornu::metrics
