// Faults of how the samples are divided: validation samples that are trained on, steps that leave
// samples out.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_map>

#include "checks.h"

namespace cornu::diagnose {
namespace {

// The bytes of each sample's numbers.
std::vector<std::string> keys_of(const Nest& x) {
  std::vector<std::string> keys;
  for (const Tensor& t : x.flatten()) {
    if (!is_number(t) || t.rank() == 0) continue;
    const auto* bytes = static_cast<const char*>(t.host_data());
    const size_t rows = static_cast<size_t>(t.shape(0)), size = rows ? t.bytes() / rows : 0;
    keys.resize(std::max(keys.size(), rows));
    for (size_t row = 0; row < rows; ++row) {
      // Long samples by their hash and their first bytes.
      const std::string_view whole(bytes + row * size, size);
      keys[row] += size <= 64 ? std::string(whole)
                              : std::string(whole.substr(0, 32)) +
                                    std::to_string(std::hash<std::string_view>()(whole));
    }
  }
  return keys;
}

// Whether samples of so many different numbers are never equal by chance, as those of a few
// categories are.
bool distinctive(const Evidence& evidence) {
  int64_t distinctive_rows = 0, rows = 0;
  for (const InputFacts& input : evidence.inputs) {
    rows = std::max(rows, std::min<int64_t>(input.rows.count, 64));
    for (int64_t row = 0; row < std::min<int64_t>(input.rows.count, 64); ++row) {
      const double* begin = input.rows.values.data() + row * input.rows.width;
      distinctive_rows += std::set<double>(begin, begin + input.rows.width).size() >= 6;
    }
  }
  return 2 * distinctive_rows > rows;
}

void add_leak(int64_t leaked, int64_t validation, const char* how, Findings& findings) {
  findings.add(
      "split_leak", "",
      fmt::format("{} of {} validation samples ({:.0f}%) {}", leaked, validation,
                  100.0 * static_cast<double>(leaked) / static_cast<double>(validation), how),
      "Remove duplicates, then split; split before augmenting or oversampling.");
}

void check_copies(const std::vector<std::string>& train, const std::vector<std::string>& validation,
                  bool distinctive, Findings& findings) {
  if (train.empty() || validation.empty()) return;
  std::unordered_map<std::string_view, int64_t> seen;
  int64_t repeated = 0, leaked = 0;
  for (const std::string& key : train) ++seen[key];
  for (const std::string& key : train) repeated += seen[key] > 1;
  for (const std::string& key : validation) leaked += seen.count(key) > 0;
  const double share = static_cast<double>(leaked) / static_cast<double>(validation.size());
  const double natural = static_cast<double>(repeated) / static_cast<double>(train.size());
  if (leaked < 2 || share < 0.01 || (!distinctive && share < 3 * natural + 0.05)) return;
  add_leak(leaked, static_cast<int64_t>(validation.size()), "are among the training samples",
           findings);
}

// Some columns of an input, each divided by its deviation, so that distances count them alike.
struct Columns {
  std::vector<int64_t> places;
  std::vector<double> scales;
  explicit Columns(const Rows& rows) {
    constexpr int64_t most = 128;
    const int64_t count = std::min(rows.width, most);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t k = i * rows.width / count;
      double sum = 0, square = 0;
      for (int64_t row = 0; row < rows.count; ++row) {
        sum += rows.at(row, k);
        square += rows.at(row, k) * rows.at(row, k);
      }
      const double n = static_cast<double>(rows.count);
      const double variance = square / n - sum * sum / (n * n);
      if (variance <= 1e-12 * square / n) continue;
      places.push_back(k);
      scales.push_back(1 / std::sqrt(variance));
    }
  }
};

// From this row to the nearest one of `others` that is not the row `self`.
double nearest(const Rows& rows, int64_t row, const Rows& others, int64_t self,
               const Columns& columns) {
  double least = HUGE_VAL;
  for (int64_t other = 0; other < others.count; ++other) {
    if (other == self) continue;
    double sum = 0;
    for (size_t i = 0; i < columns.places.size() && sum < least; ++i) {
      const double d = (rows.at(row, columns.places[i]) - others.at(other, columns.places[i])) *
                       columns.scales[i];
      sum += d * d;
    }
    least = std::min(least, sum);
  }
  return std::sqrt(least);
}

// Validation samples that are training samples but for a little noise: much closer to one than
// training samples are to each other.
void check_near_copies(const InputFacts& train, const Tensor& validation, Findings& findings) {
  constexpr int64_t most = 128;
  const Rows held_out = rows_of(validation, most);
  if (train.rows.count < 32 || held_out.count < 16 || held_out.width != train.rows.width) return;
  const Columns columns(train.rows);
  std::vector<double> between, across;
  for (int64_t row = 0; row < std::min(train.rows.count, most); ++row)
    between.push_back(nearest(train.rows, row, train.rows, row, columns));
  for (int64_t row = 0; row < held_out.count; ++row)
    across.push_back(nearest(held_out, row, train.rows, -1, columns));
  std::vector<double> ordered = between;
  std::nth_element(ordered.begin(), ordered.begin() + ordered.size() / 2, ordered.end());
  const double close = 0.1 * ordered[ordered.size() / 2];
  const auto count = [&](const std::vector<double>& distances) {
    return std::count_if(distances.begin(), distances.end(), [&](double d) { return d < close; });
  };
  const auto leaked = count(across), natural = count(between);
  const double share = static_cast<double>(leaked) / static_cast<double>(across.size()),
               usual = static_cast<double>(natural) / static_cast<double>(between.size());
  if (leaked < 2 || share < 0.05 || share < 3 * usual) return;
  add_leak(leaked, held_out.count, "are training samples with a little noise", findings);
}

void check_steps(const Evidence& evidence, Findings& findings) {
  if (!evidence.options.steps_per_epoch) return;
  const int64_t steps = *evidence.options.steps_per_epoch, whole = evidence.epoch_batches;
  if (steps >= whole) return;
  findings.add(
      "steps_truncated", "",
      fmt::format("steps_per_epoch is {}, and the samples are {} batches of {}", steps, whole,
                  evidence.options.batch_size),
      fmt::format("Leave steps_per_epoch out, or make it {}, so that an epoch sees all samples.",
                  whole));
}

}  // namespace

void check_split(const Evidence& evidence, Findings& findings) {
  check_steps(evidence, findings);
  if (evidence.validation_x.empty()) return;
  const bool rich = distinctive(evidence);
  check_copies(keys_of(evidence.x), keys_of(evidence.validation_x), rich, findings);
  const std::vector<Tensor> held_out = evidence.validation_x.flatten();
  if (rich && evidence.inputs.size() == 1 && held_out.size() == 1 &&
      is_float(evidence.inputs[0].data.dtype()) && !findings.any({"split_leak"}))
    check_near_copies(evidence.inputs[0], held_out[0], findings);
}

}  // namespace cornu::diagnose
