// Windows of a series as a pipeline: keras.utils.timeseries_dataset_from_array.
#pragma once
#include "pipeline.h"
#include "split_dataset.h"

namespace cornu::utils {

/// Batches of windows of `data` (steps, ...): x (windows, sequence_length, ...), y the rows of
/// `targets` at the windows' starts; a null tensor: no y. A last batch may be smaller; without a
/// batch_size each element is one window, without the axis of windows. Shuffled windows come in
/// another order in each epoch. Throws ValueError for what Keras refuses.
data::Pipeline<Batch> timeseries_dataset_from_array(const Tensor& data, const Tensor& targets,
                                                    int64_t sequence_length,
                                                    const TimeseriesOptions& options = {});
/// The same without targets.
inline data::Pipeline<Batch> timeseries_dataset_from_array(const Tensor& data, std::nullopt_t,
                                                           int64_t sequence_length,
                                                           const TimeseriesOptions& options = {}) {
  return timeseries_dataset_from_array(data, Tensor(), sequence_length, options);
}

}  // namespace cornu::utils
