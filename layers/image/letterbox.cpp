// Images resized and padded to a size.
#include "letterbox.h"

#include <algorithm>
#include <cmath>

#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

LetterboxLayer::LetterboxLayer(LetterboxConfig c) : SampleLayerOf(std::move(c)) {
  check_positive("height", *config.height);
  check_positive("width", *config.width);
}

void LetterboxLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const double height = static_cast<double>(height_of(sample)),
               width = static_cast<double>(width_of(sample));
  const double scale = std::min(static_cast<double>(*config.height) / height,
                                static_cast<double>(*config.width) / width);
  const auto side = [&](double length, int64_t most) {
    return std::clamp<int64_t>(std::llround(length * scale), 1, most);
  };
  const int64_t rows = side(height, *config.height), columns = side(width, *config.width);
  data::apply(sample,
              data::resized({0, 0, height_of(sample), width_of(sample)}, rows, columns,
                            {config.interpolation, config.antialias}),
              draws);
  const int64_t above = (*config.height - rows) / 2, beside = (*config.width - columns) / 2;
  data::apply(sample,
              data::window(-above, -beside, *config.height, *config.width, config.fill_value, 0),
              draws);
}

void register_letterbox(Catalog& c) { c.add<LetterboxLayer>("cornu>Letterbox"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LetterboxLayer, cornu::layers::LetterboxConfig>;
