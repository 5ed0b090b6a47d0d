// The losses and metrics of a compiled model, one set for each output.
#pragma once
#include <string>
#include <vector>

#include "../dispatch/variable.h"
#include "arguments.h"

namespace cornu {

using StepLogs = std::vector<std::pair<std::string, Tensor>>;

/// The mean of scalars that arrive one by one with a weight; nothing is read on the way.
class RunningMean {
 public:
  RunningMean();
  void add(const Tensor& value, double weight);  ///< may be a tensor of a recording
  void reset();                                  ///< forgets all
  /// 0 before the first.
  Tensor result() const;
  /// The same where it is at hand: on the host, outside of recordings and of a StatelessScope.
  std::optional<float> at_hand() const;
  /// The same for those who look after every step, where it has been found at hand.
  float peek() const;
  std::vector<Variable> variables() const { return {total_, weight_}; }  ///< its state

 private:
  Variable total_, weight_;
  Tensor zero_;
};

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
  /// "<output>_loss" for each output, if there are several.
  void append_results(StepLogs& logs) const;
  void reset();                             ///< of the means that append_results reports
  std::vector<Variable> variables() const;  ///< of those means

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

 private:
  LossOption option_;
  LossWeights weights_;
  bool resolved_ = false;
  std::vector<std::shared_ptr<Loss>> losses_;  // one for each output, null where there is none
  std::vector<double> factors_;
  std::vector<std::string> names_;
  std::vector<RunningMean> means_;
};

/// Adds a metric's figure under `name`, or its several figures under their own names.
void append_result(StepLogs& logs, const std::string& name, Metric& metric);

/// The metrics options of compile, resolved for targets and outputs at the first batch.
class CompiledMetrics {
 public:
  /// Throws ValueError for unknown names.
  CompiledMetrics(const MetricOption& metrics, const MetricOption& weighted_metrics);
  /// Updates all metrics; sample weights go to the weighted ones.
  void update(const Nest& y, const Nest& y_pred, const Nest& sample_weight,
              const std::vector<std::string>& output_names);
  /// Each metric by name, with "<output>_" in front where there are several outputs.
  void append_results(StepLogs& logs) const;
  void reset();  ///< of all metrics
  bool empty() const {
    return plain_.empty() && weighted_.empty();
  }  ///< whether compile got no metrics
  /// The metric objects; empty before the first batch.
  std::vector<std::shared_ptr<Metric>> metrics() const;

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
  bool resolved_ = false;
  std::vector<Entry> entries_;
};

}  // namespace cornu
