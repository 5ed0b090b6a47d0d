// Patches of images and volumes.
#pragma once
#include "../integers.h"
#include "../op.h"

namespace cornu::ops {

/// Windows of images (n, h, w, c) -> (n, rows, columns, kh * kw * c), or of volumes with a size of
/// three numbers; also without the batch axis. `strides` are the size by default.
Tensor extract_patches(const Tensor& images, const IntegerList& size,
                       const OptionalIntegers& strides = {}, const IntegerList& dilation_rate = {1},
                       const std::string& padding = "valid",
                       const std::optional<std::string>& data_format = {});

/// extract_patches of volumes (n, d, h, w, c), where one size stands for all three.
Tensor extract_patches_3d(const Tensor& volumes, const IntegerList& size,
                          const OptionalIntegers& strides = {},
                          const IntegerList& dilation_rate = {1},
                          const std::string& padding = "valid",
                          const std::optional<std::string>& data_format = {});

}  // namespace cornu::ops
