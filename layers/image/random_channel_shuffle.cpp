// Images with their channels in another order at random.
#include "random_channel_shuffle.h"

#include <limits>

#include "../../backend/image_colors.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomChannelShuffleLayer::RandomChannelShuffleLayer(RandomChannelShuffleConfig c)
    : SampleLayerOf(std::move(c)) {
  config.factor = as_numbers(factor_bounds(config.factor, "factor", 0, 1));
}

void RandomChannelShuffleLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  check_colors(sample);
  std::array<size_t, 3> order = {0, 1, 2};
  for (int64_t i = 2; i > 0; --i)
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(draws.below(i + 1))]);
  std::array<float, 12> matrix{};
  for (size_t row = 0; row < 3; ++row) matrix[4 * row + order[row]] = 1;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    mix_channels(from, to, matrix, -infinity, infinity);
  });
}

void register_random_channel_shuffle(Catalog& c) {
  c.add<RandomChannelShuffleLayer>("cornu>RandomChannelShuffle");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomChannelShuffleLayer,
                              cornu::layers::RandomChannelShuffleConfig>;
