// Larger images.
#include "up_sampling2d.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "../../framework/ops/core.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/spatial.h"

namespace cornu::layers {

UpSampling2DLayer::UpSampling2DLayer(UpSampling2DConfig c) : LayerOf(std::move(c)) {
  check_positive("size", config.size.vec());
  channels_first(config.data_format);
  for (char& letter : config.interpolation)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  const std::vector<std::string> known = {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"};
  if (std::ranges::find(known, config.interpolation) == known.end())
    throw ValueError(
        fmt::format("option 'interpolation' is '{}'.{} Known are 'nearest', 'bilinear', 'bicubic', "
                    "'lanczos3' and 'lanczos5'.",
                    config.interpolation, did_you_mean(config.interpolation, known)));
}

Tensor UpSampling2DLayer::call(const Tensor& x, const Call&) {
  const bool first = channels_first(config.data_format);
  if (config.interpolation == "nearest") return repeat_spatial(x, config.size.vec(), first);
  check_rank(x.shape(), 4,
             first ? "(batch, channels, height, width)" : "(batch, height, width, channels)");
  const bool is_real = is_float(x.dtype());
  Tensor y = is_real && size_of(x.dtype()) >= 4 ? x : ops::cast(x, DType::float32);
  for (int i = 0; i < 2; ++i) {
    const int axis = i + (first ? 2 : 1);
    const int64_t times = config.size[static_cast<size_t>(i)];
    if (times != 1) y = ops::resize_axis(y, axis, x.shape()[axis] * times, config.interpolation);
  }
  return ops::cast(is_real ? y : ops::round_even(y), x.dtype());
}

void register_up_sampling2d(Catalog& c) { c.add<UpSampling2DLayer>("keras.layers.UpSampling2D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::UpSampling2DLayer, cornu::layers::UpSampling2DConfig>;
