// Borders of images, added and cut off.
#pragma once
#include "../detail/images.h"

namespace cornu::ops {

/// Pads with zeros, by amounts or to a size: two of top, bottom and target_height, two of left,
/// right and target_width.
Tensor pad_images(const Tensor& images, std::optional<int64_t> top_padding = {},
                  std::optional<int64_t> left_padding = {},
                  std::optional<int64_t> bottom_padding = {},
                  std::optional<int64_t> right_padding = {},
                  std::optional<int64_t> target_height = {},
                  std::optional<int64_t> target_width = {}, const DataFormat& data_format = {});
/// Cuts off borders; arguments as pad_images.
Tensor crop_images(const Tensor& images, std::optional<int64_t> top_cropping = {},
                   std::optional<int64_t> left_cropping = {},
                   std::optional<int64_t> bottom_cropping = {},
                   std::optional<int64_t> right_cropping = {},
                   std::optional<int64_t> target_height = {},
                   std::optional<int64_t> target_width = {}, const DataFormat& data_format = {});

}  // namespace cornu::ops
