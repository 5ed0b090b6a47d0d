// Sliding windows as columns, and blocks of pixels as channels.
#pragma once
#include <optional>
#include <string>

#include "../op.h"

namespace cornu::ops {

/// Sliding windows of x (n, c, h, w) -> (n, c * kh * kw, windows), each setting one number or
/// (height, width). Throws ShapeError when no window fits.
Tensor unfold(const Tensor& x, const std::vector<int64_t>& kernel_size,
              const std::vector<int64_t>& dilation = {1}, const std::vector<int64_t>& padding = {0},
              const std::vector<int64_t>& stride = {1});
/// The reverse of unfold, x (n, c * kh * kw, windows) -> (n, c, output_size...); where windows
/// overlap they add up.
Tensor fold(const Tensor& x, const std::vector<int64_t>& output_size,
            const std::vector<int64_t>& kernel_size, const std::vector<int64_t>& dilation = {1},
            const std::vector<int64_t>& padding = {0}, const std::vector<int64_t>& stride = {1});
/// x (n, h, w, c * block^2) -> (n, h * block, w * block, c), or channels first: each pixel's
/// channels become a block, of at least 2 pixels a side. Unlike elsewhere data_format is
/// "channels_last" unless it is given; an empty one is config::image_data_format.
Tensor depth_to_space(const Tensor& x, int64_t block_size,
                      const std::optional<std::string>& data_format = "channels_last");
/// The reverse of depth_to_space.
Tensor space_to_depth(const Tensor& x, int64_t block_size,
                      const std::optional<std::string>& data_format = "channels_last");

}  // namespace cornu::ops
