// Drawing parts of images.
#include "random_part.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../backend/error.h"

namespace cornu::data {

Region middle_part(int64_t height, int64_t width, const std::array<double, 2>& ratio) {
  const double shape = static_cast<double>(width) / static_cast<double>(height);
  int64_t h = height, w = width;
  if (shape < ratio[0])
    h = static_cast<int64_t>(std::lround(static_cast<double>(width) / ratio[0]));
  else if (shape > ratio[1])
    w = static_cast<int64_t>(std::lround(static_cast<double>(height) * ratio[1]));
  h = std::clamp<int64_t>(h, 1, height), w = std::clamp<int64_t>(w, 1, width);
  return {(height - h) / 2, (width - w) / 2, h, w};
}

Region random_part(int64_t height, int64_t width, Random& random,
                   const std::array<double, 2>& scale, const std::array<double, 2>& ratio) {
  if (!(scale[0] >= 0 && scale[0] <= scale[1]) || !(ratio[0] > 0 && ratio[0] <= ratio[1]))
    throw ValueError(
        fmt::format("A random part of an image: expected 'scale' from 0 on and 'ratio' above 0, "
                    "both in ascending order, found ({}, {}) and ({}, {}).",
                    scale[0], scale[1], ratio[0], ratio[1]));
  const auto area = static_cast<double>(height * width);
  for (int i = 0; i < 10; ++i) {
    const double part = area * random.uniform(scale[0], scale[1]);
    const double shape = std::exp(random.uniform(std::log(ratio[0]), std::log(ratio[1])));
    const auto w = static_cast<int64_t>(std::lround(std::sqrt(part * shape)));
    const auto h = static_cast<int64_t>(std::lround(std::sqrt(part / shape)));
    if (w < 1 || w > width || h < 1 || h > height) continue;
    const int64_t top = random.below(height - h + 1), left = random.below(width - w + 1);
    return {top, left, h, w};
  }
  return middle_part(height, width, ratio);
}

}  // namespace cornu::data
