// target_leak: a feature that is the target itself.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "checks.h"

namespace cornu::diagnose {
namespace {

struct Line {
  double mean = 0, deviation = 0, least = HUGE_VAL, most = -HUGE_VAL;
};

template <class At>
Line line_of(int64_t rows, At at) {
  Line line;
  double square = 0;
  for (int64_t i = 0; i < rows; ++i) line.mean += at(i) / static_cast<double>(rows);
  for (int64_t i = 0; i < rows; ++i) {
    square += (at(i) - line.mean) * (at(i) - line.mean) / static_cast<double>(rows);
    line.least = std::min(line.least, at(i));
    line.most = std::max(line.most, at(i));
  }
  line.deviation = std::sqrt(square);
  return line;
}

// Whether a column is the target, as it is or brought to mean 0 and deviation 1, or to [0, 1]. A
// target that is a feature times something is left alone: that is what a first example learns.
bool is_number_target(const Rows& x, int64_t k, const Rows& y, int64_t rows) {
  const auto feature = [&](int64_t i) { return x.at(i, k); };
  const auto target = [&](int64_t i) { return y.at(i, 0); };
  const auto same = [&](double scale, double shift) {
    int64_t equal = 0;
    for (int64_t i = 0; i < rows; ++i)
      equal += std::fabs(feature(i) - (scale * target(i) + shift)) <=
               1e-4 * std::max(1e-3, std::fabs(feature(i)));
    return equal * 100 >= rows * 99;
  };
  const Line from = line_of(rows, target), to = line_of(rows, feature);
  if (from.deviation <= 0 || to.deviation <= 0) return false;
  if (same(1, 0)) return true;
  const double range = 1 / (from.most - from.least);
  return same(1 / from.deviation, -from.mean / from.deviation) ||
         (to.least == 0 && std::fabs(to.most - 1) < 1e-6 && same(range, -from.least * range));
}

// Whether a column has one value for each class, and no other.
bool is_class(const Rows& x, int64_t k, const std::vector<int64_t>& classes, int64_t rows) {
  std::map<int64_t, double> value_of;
  for (int64_t i = 0; i < rows; ++i) {
    const auto [entry, added] = value_of.emplace(classes[static_cast<size_t>(i)], x.at(i, k));
    if (!added && entry->second != x.at(i, k)) return false;
  }
  std::set<double> values;
  for (const auto& [label, value] : value_of) values.insert(value);
  return values.size() > 1 && values.size() == value_of.size();
}

void check_column(const Evidence& evidence, const InputFacts& input, int64_t k,
                  Findings& findings) {
  for (const OutputFacts& output : evidence.outputs) {
    const int64_t rows = std::min(input.rows.count, output.rows.count);
    if (rows < 32) continue;
    const auto classes = output.classes();
    if (!classes && (output.rows.width != 1 || output.rows.values.empty())) continue;
    if (classes ? !is_class(input.rows, k, *classes, rows)
                : !is_number_target(input.rows, k, output.rows, rows))
      continue;
    findings.add("target_leak", input.name.empty() ? "input" : input.name,
                 fmt::format("column {} of the input tells the target of {} in all of {} samples",
                             k, output.place(), rows),
                 "Take that column out: it is not known when the model is used.");
  }
}

}  // namespace

void check_target_leak(const Evidence& evidence, Findings& findings) {
  int64_t columns = 0;
  for (const InputFacts& input : evidence.inputs) columns += input.rows.width;
  // With one feature there is nothing to hide the target among.
  if (columns < 2 || findings.any({"inputs_nan"})) return;
  for (const InputFacts& input : evidence.inputs) {
    // Features are columns of a table: not pixels, and not words.
    if (!is_number(input.data) || input.data.rank() > 2 || !is_float(input.data.dtype())) continue;
    for (int64_t k = 0; k < std::min<int64_t>(input.rows.width, 4096); ++k)
      check_column(evidence, input, k, findings);
  }
}

}  // namespace cornu::diagnose
