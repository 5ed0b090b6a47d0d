// Images in other sizes.
#pragma once
#include "../detail/images.h"

namespace cornu::ops {

/// Images of size (height, width). `interpolation`: "nearest", "bilinear", "bicubic" (Keys, a =
/// -1/2), "lanczos3", "lanczos5" or "area" (means); `antialias` widens the kernels where images
/// shrink. To keep the ratio of the sides, images are cropped at their center, or padded with
/// fill_value. Integers are rounded.
Tensor resize(const Tensor& images, const std::vector<int64_t>& size,
              const std::string& interpolation = "bilinear", bool antialias = false,
              bool crop_to_aspect_ratio = false, bool pad_to_aspect_ratio = false,
              const std::string& fill_mode = "constant", double fill_value = 0,
              const DataFormat& data_format = {});
/// Resamples the axes `spatial_dims` of images to `output_shape`: place i of an axis becomes i *
/// scale + translation. `method`: "linear", "cubic", "lanczos3" or "lanczos5".
Tensor scale_and_translate(const Tensor& images, const Shape& output_shape, const Tensor& scale,
                           const Tensor& translation, const std::vector<int64_t>& spatial_dims,
                           const std::string& method, bool antialias = true);

}  // namespace cornu::ops
