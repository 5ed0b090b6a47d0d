// data_bound: a dataset that takes longer to give a batch than the model to train on it.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "checks.h"

namespace cornu::diagnose {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void check_data_speed(Dataset& data, const Evidence& evidence, Findings& findings) {
  if (!evidence.model.compiled() || evidence.y.empty()) return;
  constexpr int64_t count = 4;
  // The least of several: what disturbs once is not the dataset's.
  double fetching = 1e9, training = 1e9;
  detail::Trial trial(evidence.model);
  for (int64_t i = 0; i < count; ++i) {
    auto begin = std::chrono::steady_clock::now();
    const std::optional<Batch> batch = data.next(i);
    if (!batch) break;
    fetching = std::min(fetching, seconds_since(begin));
    begin = std::chrono::steady_clock::now();
    trial.step(*batch);
    training = std::min(training, seconds_since(begin));
  }
  // Steps of fit are faster than this one: what is slower than it is slower than those.
  if (fetching < 2e-3 || fetching < training) return;
  findings.add(
      "data_bound", "",
      fmt::format("a batch takes {:.3g} ms to come, and {:.3g} ms to train on", 1e3 * fetching,
                  1e3 * training),
      "Do the work once before training, or keep what was read; make batches larger only if "
      "the time is per batch.");
}

}  // namespace cornu::diagnose
