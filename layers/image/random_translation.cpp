// Images moved.
#include "random_translation.h"

#include "../../framework/ops/bounding_boxes.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/image/transform.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomTranslationLayer::RandomTranslationLayer(RandomTranslationConfig c)
    : ImageLayerOf(std::move(c)),
      seeds_(add_seed_generator(config.seed)),
      height_(strict_factor_bounds(*config.height_factor, "height_factor", -1, 1)),
      width_(strict_factor_bounds(*config.width_factor, "width_factor", -1, 1)) {
  check_resampling(config.fill_mode, config.interpolation);
}

Transformation RandomTranslationLayer::get_random_transformation(const Nest& data, bool training,
                                                                 SeedGenerator* given) {
  if (!training) return {};
  const Shape& shape = images_of(data).shape();
  const ImageSize size = size_of(shape, images_channels_first());
  SeedGenerator& seeds = given ? *given : seeds_;
  const Shape one{batch_of(data), 1};
  const Tensor down =
      random::uniform(one, height_.first, height_.second, seeds) * static_cast<double>(size.height);
  const Tensor right =
      random::uniform(one, width_.first, width_.second, seeds) * static_cast<double>(size.width);
  return {.values = {{"translations", ops::concatenate({right, down}, 1)}}, .input_shape = shape};
}

Tensor RandomTranslationLayer::transform_pixels(const Tensor& images, const Transformation& drawn,
                                                const std::string& interpolation) {
  if (drawn.empty()) return images;
  const auto t = ops::split(drawn["translations"], 2, 1);
  const Tensor one = ops::ones_like(t[0]), zero = ops::zeros_like(t[0]);
  const Tensor matrix = ops::concatenate({one, zero, -t[0], zero, one, -t[1], zero, zero}, 1);
  return on_batch(images, [&](const Tensor& x) {
    return ops::affine_transform(x, matrix, interpolation, config.fill_mode, config.fill_value,
                                 config.data_format);
  });
}

Nest RandomTranslationLayer::transform_bounding_boxes(const Nest& given,
                                                      const Transformation& drawn, bool training) {
  if (!training) return given;
  const ImageSize size = size_of(drawn.input_shape, images_channels_first());
  const Nest boxes =
      ops::convert_boxes(given, *boxes_format(), "xyxy", size.rows(), size.columns());
  const Tensor& corners = boxes["boxes"].tensor();
  const auto t = ops::split(drawn["translations"], 2, 1);
  const Tensor moved = map_sides(corners, [&](Sides p) {
    for (size_t i = 0; i < 4; ++i) {
      const Tensor shift = ops::cast(t[i % 2], corners.dtype());
      p[i] = p[i] + (corners.rank() == 3 ? ops::expand_dims(shift, {-1}) : shift);
    }
    return p;
  });
  const Nest inside =
      ops::clip_to_image_size(with_entry(boxes, "boxes", moved), size.rows(), size.columns());
  return ops::convert_boxes(inside, "xyxy", *boxes_format(), size.rows(), size.columns());
}

void RandomTranslationLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const int64_t height = height_of(sample), width = width_of(sample);
  const double down = draws.uniform(height_.first, height_.second) * static_cast<double>(height),
               right = draws.uniform(width_.first, width_.second) * static_cast<double>(width);
  data::apply(sample,
              data::warped({1, 0, -right, 0, 1, -down, 0, 0, 1}, height, width,
                           {config.interpolation, config.fill_mode, config.fill_value}),
              draws);
}

void register_random_translation(Catalog& c) {
  c.add<RandomTranslationLayer>("keras.layers.RandomTranslation");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomTranslationLayer,
                              cornu::layers::RandomTranslationConfig>;
