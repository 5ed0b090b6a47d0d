// Finding a figure in the logs and its direction.
#include "monitor.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "../backend/log.h"
#include "../framework/base/loss.h"
#include "../framework/model/model.h"

namespace cornu::callbacks {
namespace {

// Metrics of which more is better; of the other built-in ones less is. After Keras's documentation
// of each metric.
const std::set<std::string> rising_metrics = {"AUC",
                                              "Accuracy",
                                              "BinaryAccuracy",
                                              "BinaryIoU",
                                              "CategoricalAccuracy",
                                              "ConcordanceCorrelation",
                                              "CosineSimilarity",
                                              "F1Score",
                                              "FBetaScore",
                                              "IoU",
                                              "MeanIoU",
                                              "OneHotIoU",
                                              "OneHotMeanIoU",
                                              "PearsonCorrelation",
                                              "Precision",
                                              "PrecisionAtRecall",
                                              "R2Score",
                                              "Recall",
                                              "RecallAtPrecision",
                                              "SensitivityAtSpecificity",
                                              "SparseCategoricalAccuracy",
                                              "SparseTopKCategoricalAccuracy",
                                              "SpecificityAtSensitivity",
                                              "TopKCategoricalAccuracy"};
// Of these neither is better.
const std::set<std::string> neutral_metrics = {
    "Mean", "Sum", "TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives"};

// The name of a built-in metric's class, or "" for others.
std::string class_of(const Metric& metric) {
  try {
    const ClassInfo& info = catalog().of(metric);
    return info.registered_name.empty() ? info.class_name : "";
  } catch (const StateError&) {
    return "";
  }
}

// Whether less is better of a MeanMetricWrapper: of losses, but nothing is known of other
// functions.
bool wraps_loss(const Metric& metric) {
  try {
    const Value::Dict config = metric.get_config();
    const Value* const function = detail::find(config, "fn");
    const Value* const name =
        function ? detail::find(function->get<Value::Dict>(), "config") : nullptr;
    return name && catalog().find_by_name(Loss::module, name->get<std::string>());
  } catch (const StateError&) {  // a C++ function
    return false;
  }
}

}  // namespace

std::string available_names(const Logs& logs, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [key, value] : logs) names.push_back(key);
  return (names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))) + "." +
         did_you_mean(name, names);
}

Monitor::Monitor(std::string who, std::string name, const std::string& mode, double min_delta)
    : who_(std::move(who)), name_(std::move(name)), min_delta_(std::abs(min_delta)) {
  if (mode == "min")
    direction_ = Direction::down;
  else if (mode == "max")
    direction_ = Direction::up;
  else if (mode != "auto")
    throw ValueError(fmt::format("{}: mode is '{}', expected 'auto', 'min' or 'max'.", who_, mode));
}

std::optional<double> Monitor::find(const Logs& logs) {
  const auto found = logs.find(name_);
  if (logs.is_array(name_))
    throw ValueError(fmt::format(
        "{}: '{}' is not a number but {}, so it cannot be told whether it got better. Monitor a "
        "metric of one figure.",
        who_, name_, logs.text(name_)));
  if (found != logs.end()) return found->second;
  if (!warned_)
    warn_once(fmt::format(
        "{}: there is no figure '{}' to monitor, so this callback cannot go by it. Available: {}{}",
        who_, name_, available_names(logs, name_),
        name_.starts_with("val_") ? " A name with 'val_' needs validation_data or validation_split."
                                  : ""));
  warned_ = true;
  return {};
}

Monitor::Direction Monitor::infer(const Model* model) const {
  const std::string name = name_.starts_with("val_") ? name_.substr(4) : name_;
  if (name == "loss" || name.ends_with("_loss")) return Direction::down;
  if (!model) return Direction::unknown;
  std::vector<std::shared_ptr<Metric>> metrics;
  for (const auto& metric : model->metrics()) {
    const std::vector<std::shared_ptr<Metric>> inside = metric->metrics();
    metrics.insert(metrics.end(), inside.begin(), inside.end());
    metrics.push_back(metric);
  }
  for (const auto& metric : metrics) {
    // With several outputs the figure has the output's name in front.
    if (metric->name() != name && !name.ends_with("_" + metric->name())) continue;
    const std::string kind = class_of(*metric);
    if (kind.empty() || neutral_metrics.contains(kind)) continue;
    if (kind == "MeanMetricWrapper" && !wraps_loss(*metric)) continue;
    return rising_metrics.contains(kind) ? Direction::up : Direction::down;
  }
  return Direction::unknown;
}

bool Monitor::improves(double value, std::optional<double> reference, const Model* model) {
  if (direction_ == Direction::unknown) direction_ = infer(model);
  if (direction_ == Direction::unknown)
    throw ValueError(fmt::format(
        "{}: whether '{}' should fall or rise cannot be told from its name. Give .mode = "
        "\"min\" or .mode = \"max\".",
        who_, name_));
  if (!reference) return true;
  // As float32, like Keras: what differs from min_delta by rounding alone is no improvement.
  const auto best = static_cast<float>(*reference);
  return direction_ == Direction::up ? static_cast<float>(value - min_delta_) > best
                                     : static_cast<float>(value + min_delta_) < best;
}

}  // namespace cornu::callbacks
