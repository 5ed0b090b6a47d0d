// Images with several rectangles painted over at random.
#include "random_coarse_dropout.h"

#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomCoarseDropoutLayer::RandomCoarseDropoutLayer(RandomCoarseDropoutConfig c)
    : SampleLayerOf(std::move(c)) {
  config.factor = as_numbers(factor_bounds(config.factor, "factor", 0, 1));
  config.size = as_numbers(factor_bounds(config.size, "size", 0, 1));
  if (config.count.size() != 2 || config.count[0] < 0 || config.count[0] > config.count[1])
    throw ValueError("count: expected two numbers, the least and the largest.");
}

void RandomCoarseDropoutLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  std::vector<Area> areas;
  const int64_t count = config.count[0] + draws.below(config.count[1] - config.count[0] + 1);
  for (int64_t i = 0; i < count; ++i) {
    const double down = drawn(config.size, draws), across = drawn(config.size, draws);
    areas.push_back(drawn_area(height_of(sample), width_of(sample), down, across, draws));
  }
  const auto painted = [&](const Tensor& tensor, const char* what, double value) {
    const Tensor result = tensor.duplicate();
    const Picture picture = data::picture_of(result, what);
    for (const Area& area : areas) fill_area(picture, area, value);
    return result;
  };
  const Tensor mask = config.mask && sample.mask
                          ? painted(sample.mask, "mask", config.mask_fill_value)
                          : sample.mask;
  sample.image = painted(sample.image, "image", config.fill_value);
  sample.mask = mask;
  for (const Area& area : areas) hide_points(sample, area);
}

void register_random_coarse_dropout(Catalog& c) {
  c.add<RandomCoarseDropoutLayer>("cornu>RandomCoarseDropout");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomCoarseDropoutLayer,
                              cornu::layers::RandomCoarseDropoutConfig>;
