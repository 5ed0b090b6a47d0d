// Data in two parts, and a series in windows: keras.utils' functions on arrays.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "../tensor/nest.h"

namespace cornu::utils {

/// A number of samples, or a share of them in (0, 1).
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
