// Parts of images of random size and shape.
#pragma once
#include <array>

#include "../io/images/jpeg.h"
#include "place.h"

namespace cornu::data {

using io::Region;

/// The largest part in the middle of an image whose width to height lies in `ratio`, from and to.
Region middle_part(int64_t height, int64_t width, const std::array<double, 2>& ratio);

/// A part of random size and shape, as torchvision's RandomResizedCrop draws it: ten tries of an
/// area, as a fraction of the image's uniform in `scale`, and of a width to height, uniform in the
/// logarithm of `ratio`; else the largest part in the middle whose ratio is allowed. Follows from
/// `random` alone. Throws ValueError for ranges in descending order, fractions below 0 and ratios
/// that are not above 0.
Region random_part(int64_t height, int64_t width, Random& random,
                   const std::array<double, 2>& scale, const std::array<double, 2>& ratio);

}  // namespace cornu::data
