// Larger sequences, images and volumes.
#include "up_sampling.h"

#include <fmt/core.h>
#include <algorithm>
#include <cctype>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/detail/resize_axis.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

UpSampling1DLayer::UpSampling1DLayer(UpSampling1DConfig c) : LayerOf(std::move(c)) {
  check_positive("size", config.size);
}

Tensor UpSampling1DLayer::call(const Tensor& x, const Call&) {
  return repeat_spatial(x, {config.size}, false);
}

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
  return ops::cast(is_real ? y : detail::round_even(y), x.dtype());
}

UpSampling3DLayer::UpSampling3DLayer(UpSampling3DConfig c) : LayerOf(std::move(c)) {
  check_positive("size", config.size.vec());
  channels_first(config.data_format);
}

Tensor UpSampling3DLayer::call(const Tensor& x, const Call&) {
  return repeat_spatial(x, config.size.vec(), channels_first(config.data_format));
}

void register_up_sampling(Catalog& c) {
  c.add<UpSampling1DLayer>("keras.layers.UpSampling1D");
  c.add<UpSampling2DLayer>("keras.layers.UpSampling2D");
  c.add<UpSampling3DLayer>("keras.layers.UpSampling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::UpSampling1DLayer, cornu::layers::UpSampling1DConfig>;
template class cornu::LayerOf<cornu::layers::UpSampling2DLayer, cornu::layers::UpSampling2DConfig>;
template class cornu::LayerOf<cornu::layers::UpSampling3DLayer, cornu::layers::UpSampling3DConfig>;
