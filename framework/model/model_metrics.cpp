// The metrics of a model: which there are, and the figures of a step.
#include <algorithm>

#include "compiled.h"
#include "model.h"

namespace cornu {
namespace {

void add_figures(StepLogs& logs, Metric& metric) {
  const std::vector<std::pair<std::string, Tensor>> named = metric.results();
  for (const auto& [name, value] : named) logs[name] = value;
  // Those of compile are not known before the first batch.
  if (named.empty() && !dynamic_cast<CompiledMetrics*>(&metric))
    logs[metric.name()] = metric.result();
}

// As Keras flattens dictionaries: in place of a metric that has figures with names, these.
StepLogs spread(const StepLogs& figures, const std::vector<std::shared_ptr<Metric>>& metrics) {
  StepLogs logs;
  for (const auto& [name, value] : figures) {
    std::vector<std::pair<std::string, Tensor>> named;
    for (const auto& metric : metrics)
      if (metric->name() == name) named = metric->results();
    if (named.empty()) logs[name] = value;
    for (const auto& [own, figure] : named) logs[own] = figure;
  }
  return logs;
}

}  // namespace

std::vector<std::shared_ptr<Metric>> Model::metrics() const {
  std::vector<std::shared_ptr<Metric>> result;
  if (compiled_) {
    result.push_back(loss_mean_);
    if (!metrics_->empty()) result.push_back(metrics_);
    for (auto& mean : loss_->metrics()) result.push_back(std::move(mean));
  }
  const auto cache = step_cache();
  result.insert(result.end(), cache->metrics.begin(), cache->metrics.end());
  return result;
}

std::vector<std::string> Model::metrics_names() const {
  std::vector<std::string> names;
  for (const auto& metric : metrics()) names.push_back(metric->name());
  return names;
}

void Model::reset_metrics() {
  for (const auto& metric : metrics()) metric->reset_state();
}

StepLogs Model::get_metrics_result() {
  StepLogs logs;
  for (const auto& metric : metrics()) add_figures(logs, *metric);
  return logs;
}

StepLogs Model::figures_of(const StepLogs& returned) {
  if (returned.pending()) return figures_of({});
  const StepLogs figures = spread(returned, metrics());
  StepLogs logs;
  for (const auto& metric : metrics()) {
    const auto* mean = dynamic_cast<const RunningMean*>(metric.get());
    // A step with a loss of its own may not have told the tracker.
    if (!mean || mean->has_values())
      add_figures(logs, *metric);
    else
      for (const auto& [name, value] : figures)
        if (name == metric->name()) logs[name] = value;
  }
  const bool same = logs.size() == figures.size() &&
                    std::all_of(figures.begin(), figures.end(),
                                [&](const auto& entry) { return logs.contains(entry.first); });
  return figures.empty() || same ? logs : figures;
}

Model::StatelessLoss Model::stateless_compute_loss(const StateValues& trainable,
                                                   const StateValues& non_trainable,
                                                   const StateValues& metrics, const Nest& x,
                                                   const Nest& y, const Nest& y_pred,
                                                   const Nest& sample_weight) {
  const std::vector<Variable> others = non_trainable_variables(), counted = metrics_variables();
  StatelessScope scope(others, non_trainable, "non_trainable_variables");
  scope.add_updates(trainable_variables(), trainable, "trainable_variables");
  scope.add_updates(counted, metrics, "metrics_variables");
  Tensor loss = compute_loss(x, y, y_pred, sample_weight);
  return {std::move(loss), trainable.tensors(), scope.values_of(others), scope.values_of(counted)};
}

}  // namespace cornu
