// The losses and metrics of a compiled model, one set for each output.
#pragma once
#include <string>
#include <vector>

#include "../base/metric.h"
#include "arguments.h"

namespace cornu {

/// The mean of scalars that arrive one by one with a weight, such as the loss; nothing is read on
/// the way.
class RunningMean : public Metric {
 public:
  explicit RunningMean(std::string name);        ///< the name that logs have it under
  void add(const Tensor& value, double weight);  ///< may be a tensor of a recording
  /// Takes in the mean of `values`, with a weight of 1 or that of the sample weights.
  void update_state(const Tensor& values, const Tensor& = {},
                    const Tensor& sample_weight = {}) override;
  /// 0 before the first.
  Tensor result() override;
  /// The same where it is at hand: on the host, outside of recordings and of a StatelessScope.
  std::optional<float> at_hand() const;
  /// The same for those who look after every step, where it has been found at hand.
  float peek() const;
  /// Whether it has taken in anything since the last reset.
  bool has_values() const;
  Value::Dict get_config() const override { return {{"name", name()}}; }

 private:
  Variable total_, weight_;
};

/// Throws ValueError for a list of sample weights unless it has one for each target of `y`, or for
/// each of `outputs`, where those without a loss are left out of y. With a tensor as y and 0
/// `outputs`, which nobody knows yet, any list goes. A tensor alone is for all of them; a
/// dictionary goes by the outputs' names. `what` names the call.
void expect_weights(const char* what, const Nest& y, const Nest& sample_weight, size_t outputs);

/// The loss option of compile, resolved for the model's outputs at the first call.
class CompiledLoss {
 public:
  /// Throws ValueError for unknown names.
  CompiledLoss(const LossOption& loss, const LossWeights& weights);
  /// The weighted sum of the outputs' losses. Throws ValueError when targets, outputs and losses do
  /// not match.
  Tensor operator()(const Nest& y, const Nest& y_pred, const Nest& sample_weight,
                    const std::vector<std::string>& output_names);
  bool empty() const { return option_.empty(); }  ///< whether compile got no loss
  /// The means "<output>_loss" of the outputs with losses, if there are several.
  std::vector<std::shared_ptr<Metric>> metrics() const;

  /// Finds the loss of each of these outputs, as the first call does. Throws ValueError when they
  /// do not match.
  void resolve(const Nest& y_pred, const std::vector<std::string>& output_names);
  /// One for each output, null where there is none; empty before they are resolved, as the next
  /// two.
  const std::vector<std::shared_ptr<Loss>>& losses() const { return losses_; }
  const std::vector<double>& factors() const { return factors_; }   ///< of the losses
  const std::vector<std::string>& names() const { return names_; }  ///< of the outputs
  /// The targets of the outputs, in their order; empty where there is none.
  std::vector<Tensor> targets(const Nest& y, const Nest& y_pred) const;
  /// `nest`, of targets or weights, as it is, or with empty tensors for the outputs without a loss
  /// where it holds as many tensors as there are outputs with one.
  Nest for_all(const Nest& nest) const;

 private:
  LossOption option_;
  LossWeights weights_;
  bool resolved_ = false;
  std::vector<std::shared_ptr<Loss>> losses_;  // one for each output, null where there is none
  std::vector<double> factors_;
  std::vector<std::string> names_;
  std::vector<std::shared_ptr<RunningMean>> means_;  // one for each output, or none
};

/// The metrics options of compile, resolved for targets and outputs at the first batch: one metric
/// with a figure for each.
class CompiledMetrics : public Metric {
 public:
  /// Throws ValueError for unknown names.
  CompiledMetrics(const MetricOption& metrics, const MetricOption& weighted_metrics,
                  std::vector<std::string> output_names = {});
  /// For a model with one output; Model::compute_metrics is for any number.
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override;
  /// The figures of `results`, one after the other: (n); a step that returns it under this metric's
  /// name reports them by their own. Throws StateError before the first batch.
  Tensor result() override;
  /// Each metric by name, with "<output>_" in front where there are several outputs; empty before
  /// the first batch.
  std::vector<std::pair<std::string, Tensor>> results() override;
  void reset_state() override;  ///< of all metrics
  std::vector<Variable> variables() const override;
  Value::Dict get_config() const override { return {}; }
  /// Updates all metrics; sample weights go to the weighted ones.
  void update(const Nest& y, const Nest& y_pred, const Nest& sample_weight,
              const std::vector<std::string>& output_names);
  bool empty() const {
    return plain_.empty() && weighted_.empty();
  }  ///< whether compile got no metrics
  /// The metric objects; empty before the first batch.
  std::vector<std::shared_ptr<Metric>> metrics() const override;

  /// A metric of one output.
  struct Entry {
    std::shared_ptr<Metric> metric;  ///< which may be the user's own object
    std::string name;                ///< in the logs
    size_t output;                   ///< its number
    bool weighted;                   ///< whether sample weights count
  };
  /// Finds the metrics of these outputs, as the first batch does.
  const std::vector<Entry>& resolved(const std::vector<Tensor>& y, const Nest& y_pred,
                                     const std::vector<std::string>& output_names);

 private:
  void resolve(const std::vector<Tensor>& y, const Nest& y_pred,
               const std::vector<std::string>& output_names);
  void resolve(const MetricOption& option, bool weighted, const std::vector<Tensor>& y,
               const Nest& y_pred, const std::vector<std::string>& names);

  MetricOption plain_, weighted_;
  std::vector<std::string> output_names_;  // of the model, where it has any
  bool resolved_ = false;
  std::vector<Entry> entries_;
};

}  // namespace cornu
