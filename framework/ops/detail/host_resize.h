// Batches of images resized by kernels of the host, in one pass.
#pragma once
#include <string>

#include "../../../backend/image_resampling.h"
#include "../op.h"

namespace cornu::detail {

/// Whether resized_on_host may take the place of products with matrices: the images have values in
/// the host's memory.
bool host_resizes(const Tensor& images);

/// The frames of images, which are (n, height, width, channels), as height x width pixels, with
/// the images' dtype: integers are rounded to even, and 16-bit floats computed in float32. By
/// "nearest" the frames must not reach beyond the images. It has a gradient.
Tensor resized_on_host(const Tensor& images, const backend::image::Frame& frame, int64_t height,
                       int64_t width, const backend::image::Resizing& how);

}  // namespace cornu::detail
