// Faults of the labels as a whole: all equal, mostly of one class, sorted.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "checks.h"

namespace cornu::diagnose {
namespace {

void check_imbalance(const OutputFacts& output, const std::vector<int64_t>& classes,
                     const DiagnoseOptions& options, Findings& findings) {
  if (!options.class_weight.empty() || !options.sample_weight.empty() || classes.size() < 32)
    return;
  // Focal losses are made for it.
  if (output.loss_class.find("Focal") != std::string::npos) return;
  std::map<int64_t, int64_t> counts;
  for (int64_t c : classes) ++counts[c];
  if (counts.size() < 2) return;
  const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end(), by_count);
  const double share = static_cast<double>(most->second) / static_cast<double>(classes.size());
  const bool rare = most->second >= 40 && most->second >= 20 * least->second;
  if (share < 0.85 && !rare) return;
  findings.add(
      "class_imbalance", output.place(),
      fmt::format("{:.0f}% of {} labels are class {}; class {} has {}", 100 * share, classes.size(),
                  most->first, least->first, least->second),
      "Give fit a class_weight, draw the classes evenly, or use a focal loss; watch AUC or "
      "recall rather than accuracy.");
}

// How often neighbors differ, against how often they would in a random order.
void check_order(const OutputFacts& output, const std::vector<int64_t>& classes,
                 Findings& findings) {
  if (classes.size() < 20) return;
  std::map<int64_t, double> shares;
  for (int64_t c : classes) shares[c] += 1.0 / static_cast<double>(classes.size());
  double equal = 0;
  for (const auto& [c, share] : shares) equal += share * share;
  double changes = 0;
  for (size_t i = 1; i < classes.size(); ++i) changes += classes[i] != classes[i - 1];
  const double expected = (1 - equal) * static_cast<double>(classes.size() - 1);
  if (expected < 4 || changes > 0.25 * expected) return;
  findings.add("shuffle_missing", output.place(),
               fmt::format("shuffle is false, and the labels come sorted: they change {:.0f} times "
                           "where {:.0f} are expected of a random order",
                           changes, expected),
               "Train with shuffle = true, or shuffle the samples once before.");
}

// Regression targets that only rise or only fall.
void check_monotone(const OutputFacts& output, Findings& findings) {
  const Rows& rows = output.rows;
  if (rows.width != 1 || rows.count < 20) return;
  int64_t up = 0, down = 0;
  for (int64_t i = 1; i < rows.count; ++i) {
    up += rows.at(i, 0) > rows.at(i - 1, 0);
    down += rows.at(i, 0) < rows.at(i - 1, 0);
  }
  if (std::min(up, down) * 50 > rows.count || std::max(up, down) < rows.count / 10) return;
  findings.add("shuffle_missing", output.place(),
               "shuffle is false, and the targets come sorted by size",
               "Train with shuffle = true, or shuffle the samples once before.");
}

}  // namespace

void check_labels(const Evidence& evidence, Findings& findings) {
  for (const OutputFacts& output : evidence.outputs) {
    if (!output.targets || (!output.loss && evidence.model.compiled())) continue;
    if (output.rows.count >= 8 && output.rows.constant()) {
      findings.add("labels_constant", output.place(),
                   fmt::format("all {} targets are equal", output.rows.count),
                   "Check how y is made: with one answer for every sample there is nothing to "
                   "learn.");
      continue;
    }
    const auto classes = output.classes();
    if (classes) check_imbalance(output, *classes, evidence.options, findings);
    if (evidence.options.shuffle || evidence.stateful) continue;
    if (classes)
      check_order(output, *classes, findings);
    else
      check_monotone(output, findings);
  }
}

}  // namespace cornu::diagnose
