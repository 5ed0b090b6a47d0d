// What ops of images share: data formats, checks, color planes.
#pragma once
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

}  // namespace cornu::detail
