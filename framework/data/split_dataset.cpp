// Splitting tensors, and cutting windows out of them.
#include "split_dataset.h"

#include <fmt/core.h>

#include <cmath>
#include <numeric>
#include <random>

#include "../../backend/error.h"
#include "../ops/numpy/indexing.h"
#include "dataset.h"
#include "random_state.h"

namespace cornu::utils {
namespace {

bool given(const SplitSize& size) { return !std::holds_alternative<std::nullopt_t>(size); }

int64_t samples_of(const SplitSize& size, int64_t total, const char* option) {
  if (const auto* count = std::get_if<int64_t>(&size)) {
    if (*count < 1 || *count >= total)
      throw ValueError(fmt::format("option '{}': expected 1 to {} samples, found {}.", option,
                                   total - 1, *count));
    return *count;
  }
  const double share = std::get<double>(size);
  if (!(share > 0 && share < 1))
    throw ValueError(
        fmt::format("option '{}': expected a fraction in (0, 1), found {}.", option, share));
  return static_cast<int64_t>(std::nearbyint(share * static_cast<double>(total)));
}

Nest rows_of(const Nest& data, const std::vector<int64_t>& rows) {
  if (data.empty()) return {};
  const Tensor indices = Tensor::from(rows, {static_cast<int64_t>(rows.size())});
  return data.map([&](const Tensor& x) { return ops::take(x, indices.to(x.device()), 0); });
}

void check_index(const char* option, int64_t value, int64_t low, int64_t steps) {
  if (value < low || value >= steps)
    throw ValueError(fmt::format("option '{}': expected {} to {} for {} steps, found {}.", option,
                                 low, steps - 1, steps, value));
}

int64_t seed_of(const std::optional<int64_t>& seed) {
  return seed ? *seed : static_cast<int64_t>(std::random_device()() % 1'000'000);
}

// How many elements both parts have.
std::pair<int64_t, int64_t> sizes_of_parts(int64_t total, const SplitOptions& options) {
  if (!given(options.left_size) && !given(options.right_size))
    throw ValueError("split_dataset: one of the options 'left_size' and 'right_size' is needed.");
  const auto* left_share = std::get_if<double>(&options.left_size);
  const auto* right_share = std::get_if<double>(&options.right_size);
  if (left_share && right_share && *left_share + *right_share > 1)
    throw ValueError(fmt::format("split_dataset: fractions of {} and {} are more than 1 together.",
                                 *left_share, *right_share));
  int64_t left = given(options.left_size) ? samples_of(options.left_size, total, "left_size") : -1;
  int64_t right =
      given(options.right_size) ? samples_of(options.right_size, total, "right_size") : -1;
  if (left < 0) left = total - right;
  if (right < 0) right = total - left;
  if (left + right > total || left == 0 || right == 0)
    throw ValueError(
        fmt::format("split_dataset: {} and {} samples cannot be taken of {}.", left, right, total));
  return {left, right};
}

// The samples of a batch in two parts.
std::pair<data::Pipeline<Batch>, data::Pipeline<Batch>> parts_of(const Batch& whole,
                                                                 const SplitOptions& options) {
  const auto [left, right] = split_places(data::detail::samples_of(whole), options);
  const auto part = [&](const std::vector<int64_t>& places) {
    return data::from(rows_of(whole.x, places), rows_of(whole.y, places),
                      rows_of(whole.sample_weight, places));
  };
  return {part(left), part(right)};
}

}  // namespace

std::pair<std::vector<int64_t>, std::vector<int64_t>> split_places(int64_t total,
                                                                   const SplitOptions& options) {
  const auto [left, right] = sizes_of_parts(total, options);
  std::vector<int64_t> order;
  if (options.shuffle) {
    order = data::python_shuffle(total, seed_of(options.seed));
  } else {
    order.resize(static_cast<size_t>(total));
    std::iota(order.begin(), order.end(), int64_t{0});
  }
  return {{order.begin(), order.begin() + left}, {order.end() - right, order.end()}};
}

std::pair<Nest, Nest> split_dataset(const Nest& data, const SplitOptions& options) {
  const int64_t total = count_samples(data);
  if (!options.shuffle) {
    const auto [left, right] = sizes_of_parts(total, options);
    return {take_rows(data, 0, left), take_rows(data, total - right, total)};
  }
  const auto [left, right] = split_places(total, options);
  return {rows_of(data, left), rows_of(data, right)};
}

std::pair<data::Pipeline<Batch>, data::Pipeline<Batch>> split_dataset(
    const data::Pipeline<Batch>& data, const SplitOptions& options) {
  if (data.node()->batched()) return split_dataset(AnyDataset(data), options);
  data::detail::check_end("split_dataset", *data.node());
  std::vector<Batch> samples;
  for (const Batch& sample : data) samples.push_back(sample);
  if (samples.empty()) throw ValueError("split_dataset: there are no samples.");
  return parts_of(data::detail::stack(std::move(samples), {}), options);
}

std::pair<data::Pipeline<Batch>, data::Pipeline<Batch>> split_dataset(AnyDataset data,
                                                                      const SplitOptions& options) {
  if (!data) throw ValueError("split_dataset: there are no data.");
  if (data->size() == Dataset::endless) throw ValueError("split_dataset: the data have no end.");
  std::vector<Batch> batches;
  data->on_epoch_begin(0);
  while (std::optional<Batch> batch = data->next(static_cast<int64_t>(batches.size())))
    batches.push_back(std::move(*batch));
  data->on_epoch_end(0);
  if (batches.empty()) throw ValueError("split_dataset: there are no batches.");
  const int64_t size = data::detail::samples_of(batches.front());
  auto [left, right] = parts_of(data::detail::concatenate(batches), options);
  return {left.batch(size), right.batch(size)};
}

std::vector<int64_t> timeseries_starts(int64_t steps, int64_t targets, int64_t sequence_length,
                                       const TimeseriesOptions& options) {
  if (sequence_length < 1)
    throw ValueError(
        fmt::format("sequence_length: expected at least 1, found {}.", sequence_length));
  if (options.start_index) check_index("start_index", *options.start_index, 0, steps);
  const int64_t start = options.start_index.value_or(0);
  const int64_t end = options.end_index.value_or(steps);
  // Keras does not check an end of 0, before which there is no window.
  if (options.end_index && end != 0) {
    check_index("end_index", end, 1, steps);
    if (end <= start)
      throw ValueError(fmt::format(
          "option 'end_index': expected more than start_index, {}, found {}.", start, end));
  }
  check_index("sampling_rate", options.sampling_rate, 1, steps);
  check_index("sequence_stride", options.sequence_stride, 1, steps);
  int64_t count = end - start - (sequence_length - 1) * options.sampling_rate;
  if (targets >= 0) count = std::min(count, targets);
  std::vector<int64_t> starts;
  for (int64_t at = 0; at < count; at += options.sequence_stride) starts.push_back(at);
  if (!options.shuffle) return starts;
  return data::reordered(
      starts, data::numpy_shuffle(static_cast<int64_t>(starts.size()), seed_of(options.seed)));
}

Tensor timeseries_windows(const Tensor& data, const std::vector<int64_t>& starts,
                          int64_t sequence_length, const TimeseriesOptions& options) {
  std::vector<int64_t> steps;
  steps.reserve(starts.size() * static_cast<size_t>(sequence_length));
  for (const int64_t start : starts)
    for (int64_t i = 0; i < sequence_length; ++i)
      steps.push_back(options.start_index.value_or(0) + start + i * options.sampling_rate);
  return ops::take(data,
                   Tensor::from(steps, {static_cast<int64_t>(starts.size()), sequence_length}), 0);
}

}  // namespace cornu::utils
