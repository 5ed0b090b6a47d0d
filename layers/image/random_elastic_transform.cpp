// Images distorted.
#include "random_elastic_transform.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image/transform.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomElasticTransformLayer::RandomElasticTransformLayer(RandomElasticTransformConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = as_numbers(factor_bounds(config.factor, "factor", 0, 1));
  config.scale = as_numbers(factor_bounds(config.scale, "scale", 0, 1));
  if (config.value_range.size() != 2)
    throw ValueError(
        fmt::format("value_range: expected two numbers, found {}.", config.value_range.size()));
  check_known("interpolation", config.interpolation, {"nearest", "bilinear"});
  check_known("fill_mode", config.fill_mode, {"constant", "nearest", "wrap", "mirror", "reflect"});
}

Transformation RandomElasticTransformLayer::get_random_transformation(const Nest& data,
                                                                      bool training,
                                                                      SeedGenerator* given) {
  const std::vector<double>& factor = config.factor.values();
  const std::vector<double>& scale = config.scale.values();
  if (!training || scale[1] == 0 || factor[1] == 0) return {};
  SeedGenerator& seeds = given ? *given : seeds_;
  const int64_t n = batch_of(data);
  const Tensor probability = random::uniform({n}, factor[0], factor[1], seeds);
  const Tensor threshold = random::uniform({n}, 0, 1, seeds);
  const Tensor strength = random::uniform({}, scale[0], scale[1], seeds, images_dtype());
  return {.values = {{"apply_transform", ops::less(threshold, probability)},
                     {"distortion_factor", strength}},
          .input_shape = images_of(data).shape(),
          .seed = &seeds};
}

Nest RandomElasticTransformLayer::transform_bounding_boxes(const Nest&, const Transformation&,
                                                           bool) {
  throw UnsupportedError(
      "bounding boxes cannot be distorted; take 'bounding_boxes' out of the input.");
}

Tensor RandomElasticTransformLayer::transform_images(const Tensor& images,
                                                     const Transformation& drawn, bool training) {
  if (!training || drawn.empty()) return ops::cast(images, images_dtype());
  return distorted(images, images_dtype(), drawn, config.interpolation, config.value_range);
}

Tensor RandomElasticTransformLayer::transform_pixels(const Tensor& images,
                                                     const Transformation& drawn,
                                                     const std::string& interpolation) {
  if (drawn.empty()) return images;
  const DType dtype = images_dtype();
  if (images.dtype() == dtype)
    return distorted(images, dtype, drawn, interpolation, config.value_range);
  const Tensor y = distorted(images, images.dtype(), drawn, interpolation, {});
  return ops::cast(ops::clip(y, config.value_range[0], config.value_range[1]), dtype);
}

Tensor RandomElasticTransformLayer::distorted(const Tensor& images, DType dtype,
                                              const Transformation& drawn,
                                              const std::string& interpolation,
                                              const std::vector<double>& value_range) {
  const ImageSize size = size_of(images.shape(), images_channels_first());
  const auto longer = static_cast<double>(std::max(size.height, size.width)),
             shorter = static_cast<double>(std::min(size.height, size.width));
  const Tensor& strength = drawn["distortion_factor"];
  return detail::elastic_transform(images, dtype,
                                   {.alpha = longer * (0.1 * strength),
                                    .sigma = shorter * (0.05 * strength),
                                    .largest_sigma = shorter * 0.05 * config.scale.values()[1],
                                    .interpolation = interpolation,
                                    .fill_mode = config.fill_mode,
                                    .fill_value = config.fill_value,
                                    .data_format = config.data_format,
                                    .chosen = drawn["apply_transform"],
                                    .value_range = value_range},
                                   drawn.seed ? *drawn.seed : seeds_);
}

void RandomElasticTransformLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (config.scale.values()[1] == 0 || !happens(config.factor, draws)) return;
  const int64_t height = height_of(sample), width = width_of(sample);
  const double strength = std::max(drawn(config.scale, draws), 1e-6);
  const double alpha = 0.1 * strength * static_cast<double>(std::max(height, width)),
               sigma = 0.05 * strength * static_cast<double>(std::min(height, width));
  data::apply(sample,
              data::displaced(smooth_field(height, width, alpha, sigma, draws.key()), height, width,
                              {config.interpolation, config.fill_mode, config.fill_value}),
              draws);
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    std::memcpy(to.data, from.data, from.row_bytes() * static_cast<size_t>(from.height));
    cut_to_range(to, config.value_range);
  });
}

void register_random_elastic_transform(Catalog& c) {
  c.add<RandomElasticTransformLayer>("keras.layers.RandomElasticTransform");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomElasticTransformLayer,
                              cornu::layers::RandomElasticTransformConfig>;
