// Faults of how the samples are divided: validation samples that are trained on, steps that leave
// samples out.
#include <fmt/core.h>

#include <cstring>
#include <string_view>
#include <unordered_map>

#include "checks.h"

namespace cornu::diagnose {
namespace {

// The bytes of each sample's numbers.
std::vector<std::string> keys_of(const Nest& x) {
  std::vector<std::string> keys;
  for (const Tensor& t : x.flatten()) {
    if (!t || t.rank() == 0 || t.dtype() >= DType::string) continue;
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

void check_leak(const std::vector<std::string>& train, const std::vector<std::string>& validation,
                Findings& findings) {
  if (train.empty() || validation.empty()) return;
  std::unordered_map<std::string_view, int64_t> seen;
  int64_t repeated = 0, leaked = 0;
  for (const std::string& key : train) repeated += seen[key]++ > 0;
  for (const std::string& key : validation) leaked += seen.count(key) > 0;
  const double share = static_cast<double>(leaked) / static_cast<double>(validation.size());
  // Few values, such as categories, repeat by themselves.
  const double natural = static_cast<double>(repeated) / static_cast<double>(train.size());
  if (leaked < 2 || share < 0.01 || share < 3 * natural) return;
  findings.add("split_leak", "",
               fmt::format("{} of {} validation samples ({:.0f}%) are among the training samples",
                           leaked, validation.size(), 100 * share),
               "Remove duplicates, then split; split before augmenting or oversampling.");
}

void check_steps(const Evidence& evidence, Findings& findings) {
  if (!evidence.options.steps_per_epoch) return;
  const int64_t steps = *evidence.options.steps_per_epoch, whole = evidence.batches();
  if (steps >= whole) return;
  findings.add(
      "steps_truncated", "",
      fmt::format("steps_per_epoch {} of {} samples each is {} of {} samples", steps,
                  evidence.options.batch_size, steps * evidence.options.batch_size,
                  evidence.samples),
      fmt::format("Leave steps_per_epoch out, or make it {}, so that an epoch sees all samples.",
                  whole));
}

}  // namespace

void check_split(const Evidence& evidence, Findings& findings) {
  check_steps(evidence, findings);
  if (!evidence.options.validation_x.empty()) {
    check_leak(keys_of(evidence.x), keys_of(evidence.options.validation_x), findings);
  } else if (const double share = evidence.options.validation_split; share > 0 && share < 1) {
    const int64_t cut = static_cast<int64_t>(static_cast<double>(evidence.samples) * (1 - share));
    if (cut > 0 && cut < evidence.samples)
      check_leak(keys_of(take_rows(evidence.x, 0, cut)),
                 keys_of(take_rows(evidence.x, cut, evidence.samples)), findings);
  }
}

}  // namespace cornu::diagnose
