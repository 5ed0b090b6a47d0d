// Windows of a series as a pipeline: keras.utils.timeseries_dataset_from_array.
#pragma once
#include "pipeline.h"
#include "split_dataset.h"

namespace cornu::utils {

/// Batches of windows of `data` (steps, ...): x (windows, sequence_length, ...), y the rows of
/// `targets` at the windows' starts; a null tensor: no y. A last batch may be smaller. Shuffled
/// windows come in another order in each epoch. Throws ValueError for what Keras refuses.
data::Pipeline<Batch> timeseries_dataset_from_array(const Tensor& data, const Tensor& targets,
                                                    int64_t sequence_length,
                                                    const TimeseriesOptions& options = {},
                                                    int64_t batch_size = 128);

}  // namespace cornu::utils
