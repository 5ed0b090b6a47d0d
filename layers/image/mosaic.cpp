// Four images put together as one.
#include "mosaic.h"

#include <cmath>

#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

MosaicLayer::MosaicLayer(MosaicConfig c) : SampleLayerOf(std::move(c)) {
  if (!(config.center >= 0 && config.center <= 0.5))
    throw ValueError("center: expected a number in [0, 0.5].");
}

void MosaicLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const int64_t height = height_of(sample), width = width_of(sample);
  const auto middle = [&](int64_t side) {
    return std::llround(draws.uniform(config.center, 1 - config.center) *
                        static_cast<double>(side));
  };
  const int64_t x = middle(width), y = middle(height);
  data::Sample whole = sample;
  // Each lies with its opposite corner at the common one.
  std::array<data::Sample, 4> parts = {sample, draws.other(), draws.other(), draws.other()};
  Tensor label = sample.label;
  int64_t covered = 0;  // pixels of the parts so far
  for (size_t i = 0; i < 4; ++i) {
    data::Sample& part = parts[i];
    const int64_t left = i % 2 ? -x : width_of(part) - x, top = i < 2 ? height_of(part) - y : -y;
    data::apply(part, data::window(top, left, height, width, config.fill_value, 0), draws);
    const Area area{i < 2 ? 0 : y, i % 2 ? x : 0, i < 2 ? y : height - y, i % 2 ? width - x : x};
    // The mean so far by the fraction that its pixels are of those with this part's.
    const int64_t before = covered;
    covered += area.height * area.width;
    if (i > 0 && covered > 0)
      label = mixed_label(label, part.label,
                          static_cast<double>(before) / static_cast<double>(covered));
    keep_area(part, area);
    if (i == 0) {
      whole = part;
    } else {
      put_area(whole, part, area);
    }
  }
  whole.label = label;
  sample = std::move(whole);
}

void register_mosaic(Catalog& c) { c.add<MosaicLayer>("cornu>Mosaic"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MosaicLayer, cornu::layers::MosaicConfig>;
