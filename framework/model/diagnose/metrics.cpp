// metric_mismatch: metrics that measure something else than they seem to.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "checks.h"

namespace cornu::diagnose {
namespace {

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

bool whole_numbers(const Rows& rows) {
  return std::all_of(rows.values.begin(), rows.values.end(),
                     [](double v) { return v == std::round(v); });
}

// Whether the targets are numbers, not classes.
bool continuous(const OutputFacts& output) {
  return !output.rows.values.empty() && !whole_numbers(output.rows);
}

// Whether predictions are scores that a threshold between 0 and 1 does not cut in half.
bool scores(const OutputFacts& output) {
  return output.from_logits && (output.binary() || output.categorical() || output.sparse());
}

// Metrics that compare probabilities with thresholds in [0, 1].
bool has_threshold(const std::string& kind) {
  static const char* names[] = {"BinaryAccuracy",
                                "Precision",
                                "Recall",
                                "TruePositives",
                                "FalsePositives",
                                "TrueNegatives",
                                "FalseNegatives",
                                "F1Score",
                                "FBetaScore",
                                "BinaryIoU",
                                "AUC"};
  return std::any_of(std::begin(names), std::end(names), [&](const char* n) { return kind == n; });
}

// Metrics of regression.
bool is_distance(const std::string& kind) {
  static const char* names[] = {"MeanSquaredError",
                                "RootMeanSquaredError",
                                "MeanAbsoluteError",
                                "MeanAbsolutePercentageError",
                                "MeanSquaredLogarithmicError",
                                "LogCoshError",
                                "R2Score"};
  return std::any_of(std::begin(names), std::end(names), [&](const char* n) { return kind == n; });
}

// What is wrong with this metric on this output; nothing is the usual answer.
std::string fault_of(const std::string& kind, const Value::Dict& config,
                     const OutputFacts& output) {
  const auto option = [&](const char* name) { return detail::find(config, name); };
  const bool rows = output.probe_targets.shape() == output.prediction.shape() && output.units() > 1;
  if (kind.find("Categorical") != std::string::npos && kind.find("Accuracy") != std::string::npos &&
      output.units() == 1)
    return "it compares the numbers of the largest units, and there is one unit";
  if (starts(kind, "Sparse") && rows)
    return "it wants class numbers, and the targets are rows as long as the output";
  if ((starts(kind, "Categorical") || kind == "TopKCategoricalAccuracy") && output.class_numbers())
    return "it wants rows as long as the output, and the targets are class numbers";
  if (starts(kind, "Binary") && kind != "BinaryIoU" && output.units() > 1 &&
      (output.categorical() || output.sparse()))
    return "it counts each unit alone, and the targets are one class of many";
  if (kind == "Accuracy" && !output.from_logits && output.form != OutputForm::other)
    return "it counts exact equality, and the output has fractions";
  const bool counts = kind.find("Accuracy") != std::string::npos || has_threshold(kind);
  if (counts && continuous(output) && !output.loss_class.empty() && !output.binary() &&
      !output.categorical())
    return "it counts classes, and the targets are numbers";
  if (output.class_numbers() && output.sparse()) {
    if (is_distance(kind))
      return "it subtracts predictions from targets, and the targets are class numbers";
    if (has_threshold(kind)) return "it counts each unit alone, and the targets are class numbers";
  }
  if (const Value* sparse = option("sparse_y_pred"); (kind == "MeanIoU" || kind == "IoU") &&
                                                     output.units() > 1 && sparse &&
                                                     sparse->is<bool>() && sparse->get<bool>())
    return "it wants class numbers for predictions, and the output has a number for each class";
  if (!has_threshold(kind) || !scores(output)) return "";
  if (const Value* logits = option("from_logits");
      logits && logits->is<bool>() && logits->get<bool>())
    return "";
  for (const char* name : {"threshold", "thresholds"})
    if (const Value* v = option(name); v && v->is_number() && v->number() != 0.5) return "";
  return "its threshold is a probability, and the output has logits";
}

std::string fix_of(const std::string& kind, const OutputFacts& output) {
  if (output.categorical()) return "Take metrics::CategoricalAccuracy, or \"accuracy\".";
  if (kind == "MeanIoU" || kind == "IoU") return "Give it .sparse_y_pred = false.";
  if (output.sparse()) return "Take metrics::SparseCategoricalAccuracy, or \"accuracy\".";
  if (output.binary() && scores(output))
    return kind == "AUC" ? "Give it .from_logits = true." : "Give it .threshold = 0.";
  if (output.binary()) return "Take metrics::BinaryAccuracy, or \"accuracy\".";
  return "Take a metric of regression, such as \"mae\".";
}

}  // namespace

void check_metrics(const Evidence& evidence, Findings& findings) {
  // What is wrong with the targets is wrong with the metrics too.
  if (findings.any({"target_shape", "target_one_hot_with_sparse", "target_sparse_with_categorical",
                    "target_range", "logits_flag", "double_softmax", "loss_output_mismatch"}))
    return;
  for (const OutputFacts& output : evidence.outputs) {
    if (!output.probe_targets) continue;
    for (const auto& entry : output.metrics) {
      const ClassInfo* info = catalog().find_class(*entry.metric);
      if (!info || !info->registered_name.empty()) continue;
      const std::string fault = fault_of(info->class_name, entry.metric->get_config(), output);
      if (fault.empty()) continue;
      findings.add("metric_mismatch", entry.name, fmt::format("{}: {}", info->class_name, fault),
                   fix_of(info->class_name, output));
    }
  }
}

}  // namespace cornu::diagnose
