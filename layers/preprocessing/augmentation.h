// What layers that change images at random share.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "../layer_common.h"

namespace cornu::layers {

/// The range of a random factor: of one number f it is [-f, f], cut to [low, high]. Throws
/// ValueError when a bound is outside of that.
std::pair<double, double> factor_range(const std::vector<double>& factor, double low, double high);
/// Throws ValueError unless it is two numbers; returns them in order.
std::pair<double, double> checked_range(const std::vector<double>& value_range);
/// A uniform draw from [low, high) for each image, (n, 1, 1, 1) or (1, 1, 1). Throws ShapeError
/// unless x has 3 or 4 axes.
Tensor draw_per_image(const Tensor& x, double low, double high, const Seed& seed);
/// x from one range of values to another.
Tensor to_range(const Tensor& x, std::pair<double, double> from, std::pair<double, double> to);
/// Keras trains such layers unless told otherwise.
inline bool augments(const Call& call) { return call.training.value_or(true); }

}  // namespace cornu::layers
