// A pipeline of windows, which are gathered a batch at a time.
#include "timeseries_dataset.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../backend/error.h"
#include "../ops/numpy/indexing.h"
#include "../ops/numpy/manipulation.h"

namespace cornu::utils {

data::Pipeline<Batch> timeseries_dataset_from_array(const Tensor& data, const Tensor& targets,
                                                    int64_t sequence_length,
                                                    const TimeseriesOptions& options) {
  if (data.rank() < 1)
    throw ShapeError("timeseries_dataset_from_array: data has no axis of steps.");
  std::vector<int64_t> starts =
      timeseries_starts(data.shape(0), targets ? targets.shape(0) : -1, sequence_length, options);
  if (starts.empty())
    throw ValueError(
        fmt::format("timeseries_dataset_from_array: {} steps have no window of {} with "
                    "sampling_rate {}.",
                    data.shape(0), sequence_length, options.sampling_rate));
  // Keras counts the targets from the first on, and fails where a window's is not there.
  const int64_t last =
      options.start_index.value_or(0) + *std::max_element(starts.begin(), starts.end());
  if (targets && last >= targets.shape(0))
    throw ValueError(
        fmt::format("timeseries_dataset_from_array: the window at step {} has no target; there are "
                    "{} targets, of which the first belongs to step 0.",
                    last, targets.shape(0)));
  auto windows = data::from(std::move(starts));
  if (options.shuffle) windows = windows.shuffle({.seed = options.seed});
  const Tensor series = data.to(Device::cpu()),
               goals = targets ? targets.to(Device::cpu()) : targets;
  const auto windows_at = [=](const std::vector<int64_t>& own) {
    Batch batch{timeseries_windows(series, own, sequence_length, options)};
    if (goals) {
      std::vector<int64_t> rows = own;
      for (int64_t& row : rows) row += options.start_index.value_or(0);
      batch.y = ops::take(goals, Tensor::from(rows, {static_cast<int64_t>(rows.size())}), 0);
    }
    return batch;
  };
  if (options.batch_size) return windows.batch(*options.batch_size, windows_at);
  return windows.map([=](int64_t start) {
    Batch one = windows_at({start});
    one.x = ops::squeeze(one.x.tensor(), 0);
    if (goals) one.y = ops::squeeze(one.y.tensor(), 0);
    return one;
  });
}

}  // namespace cornu::utils
