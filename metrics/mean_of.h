// MeanOf: a weighted mean over samples, which most metrics are.
#pragma once
#include "../framework/base/loss.h"
#include "../framework/base/metric.h"
#include "../framework/ops/op.h"

namespace cornu::metrics {

/// Base of metrics that are the mean of a value for each sample. State: the weighted sum of the
/// values and the sum of the weights. The result is 0 before any data.
class MeanOf : public Metric {
 public:
  /// The same of values in braces.
  using Metric::update_state;
  explicit MeanOf(std::string name, DType dtype);  ///< begins with no data
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  Tensor result() override;
  /// A value for each sample, or for parts of samples (further axes), which are averaged.
  virtual Tensor values(const Tensor& y_true, const Tensor& y_pred) = 0;

 protected:
  /// The mean of a batch and the number of its samples.
  struct Batch {
    Tensor mean;          ///< empty: not averaged
    int64_t samples = 1;  ///< number of samples, the mean's weight
  };
  /// The same, averaged at once where that is possible; else without a mean.
  virtual Batch batch(const Tensor& y_true, const Tensor& y_pred);
  /// Accumulates values that are weighted along their first axes, or not weighted.
  void add(const Tensor& values, const Tensor& sample_weight);
  /// Accumulates a mean over a number of samples.
  void add(const Batch& batch);

 private:
  Variable total_;
  Variable count_;
};

/// Base of metrics that count how often a condition on two tensors holds.
class FractionOf : public MeanOf {
 protected:
  /// As for MeanOf.
  using MeanOf::MeanOf;
  /// The tensors that the condition compares, of shapes that broadcast.
  virtual std::pair<Tensor, Tensor> sides(const Tensor& y_true, const Tensor& y_pred) = 0;
  /// The condition on an element of each: 1 or 0.
  virtual const backend::ProgramRef& condition() const;

  Tensor values(const Tensor& y_true, const Tensor& y_pred) override;
  Batch batch(const Tensor& y_true, const Tensor& y_pred) override;
};

/// Base of metrics that are the mean of a loss. The subclass sets `loss_`, of reduction "none".
class LossMean : public MeanOf {
 protected:
  /// As for MeanOf.
  using MeanOf::MeanOf;
  Tensor values(const Tensor& y_true, const Tensor& y_pred) override;
  Batch batch(const Tensor& y_true, const Tensor& y_pred) override;

  std::shared_ptr<Loss> loss_;  ///< whose `call` gives the values
  int64_t axis_ = -1;           ///< the axis that the loss reduces
};

/// Whether the label's prediction is among the k largest: the last axis of y_pred is gone.
Tensor in_top_k(const Tensor& labels, const Tensor& y_pred, int64_t k);

}  // namespace cornu::metrics
