// Images on a grid whose lines are moved at random.
#include "random_grid_distortion.h"

#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomGridDistortionLayer::RandomGridDistortionLayer(RandomGridDistortionConfig c)
    : SampleLayerOf(std::move(c)) {
  config.factor = as_numbers(factor_bounds(config.factor, "factor", 0, 1));
  check_positive("num_steps", config.num_steps);
  if (!(config.scale >= 0 && config.scale < 1))
    throw ValueError("scale: expected a number in [0, 1).");
  check_known("interpolation", config.interpolation, {"nearest", "bilinear"});
  check_known("fill_mode", config.fill_mode, {"constant", "nearest", "wrap", "mirror", "reflect"});
}

namespace {

// From each pixel of an axis the step to its place in the source: cells of random lengths become
// equally long ones.
std::vector<float> grid_steps(int64_t side, int64_t count, double scale, data::Draws& draws) {
  std::vector<double> ends = {0};
  for (int64_t i = 0; i < count; ++i)
    ends.push_back(ends.back() + 1 + draws.uniform(-scale, scale));
  const double length = static_cast<double>(side - 1);
  std::vector<float> steps;
  for (int64_t i = 0; i < side; ++i) {
    const double place =
        length > 0 ? static_cast<double>(i) / length * static_cast<double>(count) : 0;
    const auto cell = std::min(static_cast<size_t>(place), static_cast<size_t>(count - 1));
    const double share = place - static_cast<double>(cell);
    const double at = (ends[cell] + (ends[cell + 1] - ends[cell]) * share) / ends.back() * length;
    steps.push_back(static_cast<float>(at - static_cast<double>(i)));
  }
  return steps;
}

}  // namespace

void RandomGridDistortionLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  const int64_t height = height_of(sample), width = width_of(sample);
  const std::vector<float> x = grid_steps(width, config.num_steps, config.scale, draws),
                           y = grid_steps(height, config.num_steps, config.scale, draws);
  std::vector<float> field(static_cast<size_t>(2 * height * width));
  for (size_t j = 0, at = 0; j < y.size(); ++j)
    for (size_t i = 0; i < x.size(); ++i) {
      field[at++] = x[i];
      field[at++] = y[j];
    }
  data::apply(sample,
              data::displaced(std::move(field), height, width,
                              {config.interpolation, config.fill_mode, config.fill_value}),
              draws);
}

void register_random_grid_distortion(Catalog& c) {
  c.add<RandomGridDistortionLayer>("cornu>RandomGridDistortion");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomGridDistortionLayer,
                              cornu::layers::RandomGridDistortionConfig>;
