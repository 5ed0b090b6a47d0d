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
  void add(const Tensor& value, double weight);
  void reset();
  /// 0 before the first.
  Tensor result() const;

 private:
  Variable total_, weight_;
  Tensor zero_;
};

class CompiledLoss {
 public:
  CompiledLoss(const LossOption& loss, const LossWeights& weights);
  /// The weighted sum of the outputs' losses. Throws ValueError when targets, outputs and losses do not match.
  Tensor operator()(const Nest& y, const Nest& y_pred, const Nest& sample_weight,
                    const std::vector<std::string>& output_names);
  bool empty() const { return option_.empty(); }
  /// "<output>_loss" for each output, if there are several.
  void append_results(StepLogs& logs) const;
  void reset();

 private:
  void resolve(const Nest& y_pred, const std::vector<std::string>& output_names);

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

class CompiledMetrics {
 public:
  CompiledMetrics(const MetricOption& metrics, const MetricOption& weighted_metrics);
  void update(const Nest& y, const Nest& y_pred, const Nest& sample_weight,
              const std::vector<std::string>& output_names);
  void append_results(StepLogs& logs) const;
  void reset();
  bool empty() const { return plain_.empty() && weighted_.empty(); }
  std::vector<std::shared_ptr<Metric>> metrics() const;

 private:
  struct Entry {
    std::shared_ptr<Metric> metric;
    std::string name;
    size_t output;
    bool weighted;
  };
  void resolve(const std::vector<Tensor>& y, const Nest& y_pred, const std::vector<std::string>& output_names);
  void resolve(const MetricOption& option, bool weighted, const std::vector<Tensor>& y, const Nest& y_pred,
               const std::vector<std::string>& names);

  MetricOption plain_, weighted_;
  bool resolved_ = false;
  std::vector<Entry> entries_;
};

}  // namespace cornu
