// Data in another range.
#include "rescaling.h"

#include <fmt/core.h>

#include <limits>

#include "../../backend/image_colors.h"
#include "../../backend/image_filter.h"

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "sample_changes.h"

namespace cornu::layers {

RescalingLayer::RescalingLayer(RescalingConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
}

Tensor RescalingLayer::call(const Tensor& x, const Call&) {
  const DType dtype = compute_dtype();
  return fused([](Expr x, Expr scale, Expr offset) { return x * scale + offset; },
               ops::cast(x, dtype), config.scale->tensor(dtype), config.offset.tensor(dtype));
}

void RescalingLayer::augment(data::Sample& sample, data::Draws&) const {
  const Picture from = data::picture_of(sample.image, "image");
  const Tensor result = Tensor::empty(sample.image.shape(), DType::float32, backend::cpu_backend());
  const Picture to = data::picture_of(result, "image");
  const auto numbers = [&](const Numbers& given, const char* what) {
    const std::vector<double>& v = given.values();
    if (v.size() != 1 && v.size() != static_cast<size_t>(from.channels))
      throw ShapeError(
          fmt::format("{}: {} numbers for images of {} channels.", what, v.size(), from.channels));
    std::vector<float> each;
    for (size_t i = 0; i < static_cast<size_t>(from.channels); ++i)
      each.push_back(static_cast<float>(v[v.size() == 1 ? 0 : i]));
    return each;
  };
  const std::vector<float> scales = numbers(*config.scale, "scale"),
                           offsets = numbers(config.offset, "offset");
  constexpr float infinity = std::numeric_limits<float>::infinity();
  blend(from, 1, from, 0, to);
  scale(to, to, scales, offsets, -infinity, infinity);
  sample.image = result;
}

void register_rescaling(Catalog& c) { c.add<RescalingLayer>("keras.layers.Rescaling"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RescalingLayer, cornu::layers::RescalingConfig>;
