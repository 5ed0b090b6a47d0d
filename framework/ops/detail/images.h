// What ops of images share: data formats, checks, color planes.
#pragma once
#include <initializer_list>

#include "../op.h"

namespace cornu::ops {

/// "channels_last" by default. Throws ValueError for an unknown one.
using DataFormat = std::optional<std::string>;

}  // namespace cornu::ops

namespace cornu::detail {

/// Whether channels are last; throws ValueError for an unknown format.
bool is_channels_last(const ops::DataFormat& data_format, const char* who);
/// Throws ShapeError unless `images` has 3 or 4 axes.
void check_images(const Tensor& images, const char* who);
/// The three channels, each with an axis of size 1.
std::vector<Tensor> planes(const Tensor& images, const ops::DataFormat& format, const char* who);

/// Whether kernels of the host may make a result of these, which have no gradient: all have values
/// in the host's memory, and no tape watches one.
bool may_run_on_host(std::initializer_list<Tensor> inputs);

}  // namespace cornu::detail
