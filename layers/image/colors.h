// What layers share that change the colors of images, or mix images: factors, ranges of values and
// draws.
#pragma once
#include <utility>
#include <vector>

#include "image_layer.h"

namespace cornu::layers {

/// The bounds of a random factor: two numbers in order, or of one number f the numbers from
/// max(-|f|, low) to |f|. Throws ValueError when one number is outside of [low, high], or a range
/// has nothing in common with it; `option` is the name for errors.
Numbers settled_factor(const Numbers& factor, double low, double high,
                       const char* option = "factor");
/// The two numbers of a range of values in order. Throws ValueError unless there are two.
std::vector<double> settled_range(const std::vector<double>& value_range);
/// Throws ValueError unless there are two numbers.
void check_range(const std::vector<double>& value_range);

/// Draws, one for each image of `data`, (n), uniform in [low, high).
Tensor draw_for_images(const Nest& data, double low, double high, SeedGenerator& seeds,
                       DType dtype = DType::float32);
/// (n) as (n, 1, ...) of `rank` axes.
Tensor per_image(const Tensor& draws, int rank = 4);

/// x in `dtype`, moved from one range of values to another: (x - low) / (high - low) * (new high -
/// new low) + new low. When the ranges are equal x is given back, whatever its dtype.
Tensor transform_value_range(const Tensor& x, const std::vector<double>& from,
                             const std::vector<double>& to, DType dtype = DType::float32);

/// The values of bytes.
inline const std::vector<double> byte_range = {0, 255};
/// [0, 1].
inline const std::vector<double> unit_range = {0, 1};

}  // namespace cornu::layers
