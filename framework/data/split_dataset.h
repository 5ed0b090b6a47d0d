// Data in two parts, and a series in windows: keras.utils' functions on arrays.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "../tensor/nest.h"
#include "pipeline.h"

namespace cornu::utils {

/// A number of samples, or a fraction of them in (0, 1).
using SplitSize = std::variant<std::nullopt_t, int64_t, double>;

/// How split_dataset splits. One of the sizes must be given; the other one is the rest then.
struct SplitOptions {
  SplitSize left_size = std::nullopt;   ///< of the first part
  SplitSize right_size = std::nullopt;  ///< of the second part
  bool shuffle = false;                 ///< before splitting
  std::optional<int64_t> seed = {};     ///< of the shuffle; none: another one each time
};

/// The first samples and the last ones of tensors whose first axes are samples. Shuffled by
/// Python's random.seed(seed) and random.shuffle, as in Keras, so that equal seeds give equal
/// parts; shares are rounded to even numbers of samples at halves, as Python does. Throws
/// ValueError for sizes that Keras refuses, ShapeError when the numbers of samples differ.
std::pair<Nest, Nest> split_dataset(const Nest& data, const SplitOptions& options);
/// The same of a pipeline's samples in epoch 0, which are all taken and kept in memory: those of
/// batches are split and put into batches of the first one's size again. Throws likewise, and
/// ValueError for data that are empty or have no end.
std::pair<data::Pipeline<Batch>, data::Pipeline<Batch>> split_dataset(
    const data::Pipeline<Batch>& data, const SplitOptions& options);
/// The same of the batches of a dataset of one's own.
std::pair<data::Pipeline<Batch>, data::Pipeline<Batch>> split_dataset(AnyDataset data,
                                                                      const SplitOptions& options);

/// Which of `total` elements are in the first part, and which in the second. Throws likewise.
std::pair<std::vector<int64_t>, std::vector<int64_t>> split_places(int64_t total,
                                                                   const SplitOptions& options);
/// The elements of a vector in two parts. Vectors of numbers, strings and tensors are tensors, and
/// a list of them, as above.
template <class T>
requires(!std::convertible_to<std::vector<T>, Nest>)
    std::pair<std::vector<T>, std::vector<T>> split_dataset(const std::vector<T>& data,
                                                            const SplitOptions& options) {
  const auto [left, right] = split_places(static_cast<int64_t>(data.size()), options);
  std::pair<std::vector<T>, std::vector<T>> parts;
  for (const int64_t i : left) parts.first.push_back(data[static_cast<size_t>(i)]);
  for (const int64_t i : right) parts.second.push_back(data[static_cast<size_t>(i)]);
  return parts;
}
/// The elements of a pipeline in epoch 0, which are all taken and kept in memory, in two parts.
template <class T>
std::pair<data::Pipeline<T>, data::Pipeline<T>> split_dataset(const data::Pipeline<T>& data,
                                                              const SplitOptions& options) {
  data::detail::check_end("split_dataset", *data.node());
  std::vector<T> all;
  for (const T& element : data) all.push_back(element);
  const auto [left, right] = split_places(static_cast<int64_t>(all.size()), options);
  const auto part = [&](const std::vector<int64_t>& places) {
    std::vector<T> chosen;
    for (const int64_t i : places) chosen.push_back(all[static_cast<size_t>(i)]);
    return data::from(std::move(chosen));
  };
  return {part(left), part(right)};
}

/// Windows of a series.
struct TimeseriesOptions {
  int64_t sequence_stride = 1;              ///< steps between the starts of windows
  int64_t sampling_rate = 1;                ///< steps between those of a window
  std::optional<int64_t> batch_size = 128;  ///< windows of a batch; none: elements are windows
  bool shuffle = false;                     ///< whether windows come in another order
  std::optional<int64_t> seed = {};         ///< of the shuffle; none: another one each time
  std::optional<int64_t> start_index = {};  ///< steps before it are not used
  std::optional<int64_t> end_index = {};    ///< steps from it on are not used
};

/// Where the windows of a series of `steps` steps start, counted from start_index; `targets` is the
/// number of targets, or -1 without. Shuffled by NumPy's RandomState(seed), as in Keras. Throws
/// ValueError for what Keras refuses.
std::vector<int64_t> timeseries_starts(int64_t steps, int64_t targets, int64_t sequence_length,
                                       const TimeseriesOptions& options = {});

/// Windows of `data` (steps, ...) from these starts: (windows, sequence_length, ...).
Tensor timeseries_windows(const Tensor& data, const std::vector<int64_t>& starts,
                          int64_t sequence_length, const TimeseriesOptions& options = {});

}  // namespace cornu::utils
