// Images enlarged or shrunk.
#include "random_zoom.h"

#include "../../framework/ops/bounding_boxes.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/image/transform.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {
namespace {

// Where a window of `zoom` times the side begins, in pixels.
Tensor window_start(const Tensor& zoom, int64_t side) {
  return (static_cast<double>(side - 1) / 2) * (1.0 - zoom);
}

}  // namespace

RandomZoomLayer::RandomZoomLayer(RandomZoomConfig c)
    : ImageLayerOf(std::move(c)),
      seeds_(add_seed_generator(config.seed)),
      height_(strict_factor_bounds(*config.height_factor, "height_factor", -1, 1, true)),
      width_(height_) {
  if (config.width_factor)
    width_ = strict_factor_bounds(*config.width_factor, "width_factor", -1, 1, true);
  check_resampling(config.fill_mode, config.interpolation);
}

Transformation RandomZoomLayer::get_random_transformation(const Nest& data, bool training,
                                                          SeedGenerator* given) {
  if (!training) return {};
  SeedGenerator& seeds = given ? *given : seeds_;
  const Shape one{batch_of(data), 1};
  const Tensor height = random::uniform(one, 1 + height_.first, 1 + height_.second, seeds);
  const Tensor width = config.width_factor
                           ? random::uniform(one, 1 + width_.first, 1 + width_.second, seeds)
                           : height;
  return {.values = {{"height_zoom", height}, {"width_zoom", width}},
          .input_shape = images_of(data).shape()};
}

Tensor RandomZoomLayer::transform_pixels(const Tensor& images, const Transformation& drawn,
                                         const std::string& interpolation) {
  if (drawn.empty()) return images;
  const ImageSize size = size_of(images.shape(), images_channels_first());
  const Tensor x = ops::cast(drawn["width_zoom"], DType::float32),
               y = ops::cast(drawn["height_zoom"], DType::float32);
  const Tensor zero = ops::zeros_like(x);
  const Tensor matrix = ops::concatenate(
      {x, zero, window_start(x, size.width), zero, y, window_start(y, size.height), zero, zero}, 1);
  return on_batch(images, [&](const Tensor& batch) {
    return ops::affine_transform(batch, matrix, interpolation, config.fill_mode, config.fill_value,
                                 config.data_format);
  });
}

Nest RandomZoomLayer::transform_bounding_boxes(const Nest& given, const Transformation& drawn,
                                               bool training) {
  if (!training) return given;
  const ImageSize size = size_of(drawn.input_shape, images_channels_first());
  Nest boxes = ops::convert_boxes(given, *boxes_format(), "xyxy", size.rows(), size.columns());
  const Tensor& corners = boxes["boxes"].tensor();
  // The window's start and end along each axis, (n, 1, 1).
  const auto window = [&](const char* zoom, int64_t side) {
    const Tensor z = ops::cast(drawn[zoom], DType::float32);
    const Tensor start = window_start(z, side), end = z * static_cast<double>(side) + start;
    return std::pair{ops::expand_dims(start, {-1}), ops::expand_dims(end, {-1})};
  };
  const auto across = window("width_zoom", size.width), down = window("height_zoom", size.height);
  const Tensor inside = map_sides(corners, [&](Sides p) {
    for (size_t i = 0; i < 4; ++i) {
      const auto& [start, end] = i % 2 ? down : across;
      p[i] = ops::clip(p[i], start, end) - start;
    }
    return p;
  });
  const Tensor height = down.second - down.first, width = across.second - across.first;
  boxes = ops::convert_boxes(with_entry(boxes, "boxes", inside), "xyxy", "rel_xyxy", height, width);
  boxes = ops::clip_to_image_size(boxes, height, width, "rel_xyxy");
  return ops::convert_boxes(boxes, "rel_xyxy", *boxes_format(), size.rows(), size.columns());
}

void RandomZoomLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const int64_t height = height_of(sample), width = width_of(sample);
  const double y = 1 + draws.uniform(height_.first, height_.second),
               x = config.width_factor ? 1 + draws.uniform(width_.first, width_.second) : y;
  const auto start = [](double zoom, int64_t side) {
    return static_cast<double>(side - 1) / 2 * (1 - zoom);
  };
  data::apply(sample,
              data::warped({x, 0, start(x, width), 0, y, start(y, height), 0, 0, 1}, height, width,
                           {config.interpolation, config.fill_mode, config.fill_value}),
              draws);
}

void register_random_zoom(Catalog& c) { c.add<RandomZoomLayer>("keras.layers.RandomZoom"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomZoomLayer, cornu::layers::RandomZoomConfig>;
