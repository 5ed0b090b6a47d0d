// Images blurred along a line at random.
#include "random_motion_blur.h"

#include <cmath>
#include <numbers>

#include "../../backend/image_filter.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomMotionBlurLayer::RandomMotionBlurLayer(RandomMotionBlurConfig c)
    : SampleLayerOf(std::move(c)) {
  config.factor = as_numbers(factor_bounds(config.factor, "factor", 0, 1));
  const auto& size = config.kernel_size;
  if (size.size() != 2 || size[0] < 3 || size[0] > size[1] || size[0] % 2 == 0 || size[1] % 2 == 0)
    throw ValueError("kernel_size: expected two odd numbers from 3 on, the least and the largest.");
}

void RandomMotionBlurLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  const auto& size = config.kernel_size;
  const int64_t reach = (size[0] + 2 * draws.below((size[1] - size[0]) / 2 + 1)) / 2;
  const double angle = draws.uniform(0, std::numbers::pi);
  std::vector<backend::image::Tap> taps;
  for (int64_t i = -reach; i <= reach; ++i)
    taps.push_back({std::llround(static_cast<double>(i) * std::sin(angle)),
                    std::llround(static_cast<double>(i) * std::cos(angle)),
                    1 / static_cast<float>(2 * reach + 1)});
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    filter(from, to, taps, backend::image::Fill::mirror);
  });
}

void register_random_motion_blur(Catalog& c) {
  c.add<RandomMotionBlurLayer>("cornu>RandomMotionBlur");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomMotionBlurLayer,
                              cornu::layers::RandomMotionBlurConfig>;
