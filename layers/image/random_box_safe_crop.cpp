// Random parts of images that hold all boxes, resized.
#include "random_box_safe_crop.h"

#include <algorithm>
#include <cmath>

#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomBoxSafeCropLayer::RandomBoxSafeCropLayer(RandomBoxSafeCropConfig c)
    : SampleLayerOf(std::move(c)) {
  check_positive("height", *config.height);
  check_positive("width", *config.width);
  if (!(config.erosion >= 0 && config.erosion <= 1))
    throw ValueError("erosion: expected a number in [0, 1].");
}

void RandomBoxSafeCropLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const int64_t height = height_of(sample), width = width_of(sample);
  // The frame of all boxes, {left, top, right, bottom}.
  std::array<double, 4> frame = data::frame_of_boxes(sample);
  if (frame[2] <= frame[0]) {
    const double x = draws.uniform(0, static_cast<double>(width)),
                 y = draws.uniform(0, static_cast<double>(height));
    frame = {x, y, x, y};
  }
  for (size_t axis = 0; axis < 2; ++axis) {
    const double cut = 0.5 * config.erosion * draws.uniform() * (frame[axis + 2] - frame[axis]);
    frame[axis] += cut;
    frame[axis + 2] -= cut;
  }
  const auto side = [&](double low, double high, int64_t length) {
    const double first = std::floor(low * draws.uniform());
    const double end = std::ceil(high + (static_cast<double>(length) - high) * draws.uniform());
    const auto start = std::clamp<int64_t>(static_cast<int64_t>(first), 0, length - 1);
    return std::pair{start,
                     std::clamp<int64_t>(static_cast<int64_t>(end) - start, 1, length - start)};
  };
  const auto [left, columns] = side(frame[0], frame[2], width);
  const auto [top, rows] = side(frame[1], frame[3], height);
  data::apply(sample,
              data::resized({top, left, rows, columns}, *config.height, *config.width,
                            {config.interpolation, config.antialias}),
              draws);
}

void register_random_box_safe_crop(Catalog& c) {
  c.add<RandomBoxSafeCropLayer>("cornu>RandomBoxSafeCrop");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomBoxSafeCropLayer,
                              cornu::layers::RandomBoxSafeCropConfig>;
