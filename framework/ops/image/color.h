// Color spaces.
#pragma once
#include "../detail/images.h"

namespace cornu::ops {

/// 0.2989 red + 0.587 green + 0.114 blue, one channel; an image that has one is given back.
Tensor rgb_to_grayscale(const Tensor& images, const DataFormat& data_format = {});
/// Hue, saturation and value, each in [0, 1], of red, green and blue in [0, 1]. Floats only.
Tensor rgb_to_hsv(const Tensor& images, const DataFormat& data_format = {});
/// The reverse of rgb_to_hsv.
Tensor hsv_to_rgb(const Tensor& images, const DataFormat& data_format = {});

}  // namespace cornu::ops
