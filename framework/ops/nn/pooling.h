// Pooling over one to three spatial axes.
#pragma once
#include "../integers.h"
#include "../op.h"

namespace cornu::ops {

/// Maximum (or mean, padding not counted) of windows; shapes as conv.
Tensor max_pool(const Tensor& inputs, const IntegerList& pool_size,
                const OptionalIntegers& strides = {}, const std::string& padding = "valid",
                const std::string& data_format = config::image_data_format());
/// Means of windows, of which padding is no part; arguments and shapes as max_pool.
Tensor average_pool(const Tensor& inputs, const IntegerList& pool_size,
                    const OptionalIntegers& strides = {}, const std::string& padding = "valid",
                    const std::string& data_format = config::image_data_format());
/// Maximum (or mean) of as many windows as `output_size` says: along an axis of size s, window i of
/// o covers [floor(i * s / o), ceil((i + 1) * s / o)). inputs (n, spatial..., c) -> (n,
/// output_size..., c).
Tensor adaptive_max_pool(const Tensor& inputs, const IntegerList& output_size,
                         const std::string& data_format = config::image_data_format());
/// The same with means.
Tensor adaptive_average_pool(const Tensor& inputs, const IntegerList& output_size,
                             const std::string& data_format = config::image_data_format());

}  // namespace cornu::ops
