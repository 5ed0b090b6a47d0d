// Images seen from elsewhere.
#include "random_perspective.h"

#include <fmt/core.h>

#include "../../framework/ops/bounding_boxes.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image/transform.h"
#include "../../framework/ops/linalg/solvers.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomPerspectiveLayer::RandomPerspectiveLayer(RandomPerspectiveConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = as_numbers(factor_bounds(config.factor, "factor", 0, 1));
  if (config.scale < 0 || config.scale > 1)
    throw ValueError(fmt::format("scale: expected a number in [0, 1], found {}.", config.scale));
  check_known("interpolation", config.interpolation, {"nearest", "bilinear"});
}

Transformation RandomPerspectiveLayer::get_random_transformation(const Nest& data, bool training,
                                                                 SeedGenerator* given) {
  if (!training) return {};
  SeedGenerator& seeds = given ? *given : seeds_;
  const int64_t n = batch_of(data);
  const Shape& shape = images_of(data).shape();
  const ImageSize size = size_of(shape, images_channels_first());
  const std::vector<double>& factor = config.factor.values();
  const Tensor probability = random::uniform({n}, factor[0], factor[1], seeds);
  const Tensor threshold = random::uniform({n}, 0, 1, seeds);
  const DType dtype = images_dtype();
  const Tensor moves =
      random::uniform({n, 4, 2}, -0.5 * config.scale, 0.5 * config.scale, seeds, dtype);
  const auto right = static_cast<float>(size.width - 1),
             bottom = static_cast<float>(size.height - 1);
  const Tensor corners = ops::cast(
      Tensor::from(std::vector<float>{0, 0, right, 0, 0, bottom, right, bottom}, {1, 4, 2}), dtype);
  const Tensor start = ops::broadcast_to(corners, {n, 4, 2});
  return {.values = {{"apply_perspective", ops::less(threshold, probability)},
                     {"start_points", start},
                     {"end_points", start + start * moves}},
          .input_shape = shape};
}

Tensor RandomPerspectiveLayer::transform_pixels(const Tensor& images, const Transformation& drawn,
                                                const std::string& interpolation) {
  if (drawn.empty()) return images;
  return on_batch(images, [&](const Tensor& x) {
    const Tensor seen =
        ops::perspective_transform(x, drawn["start_points"], drawn["end_points"], interpolation,
                                   config.fill_value, config.data_format);
    return ops::where(ops::expand_dims(drawn["apply_perspective"], {1, 2, 3}), seen, x);
  });
}

Nest RandomPerspectiveLayer::transform_bounding_boxes(const Nest& given,
                                                      const Transformation& drawn, bool training) {
  if (!training || drawn.empty()) return given;
  const ImageSize size = size_of(drawn.input_shape, images_channels_first());
  const Nest boxes =
      ops::convert_boxes(given, *boxes_format(), "xyxy", size.rows(), size.columns());
  const Tensor& before = boxes["boxes"].tensor();
  const auto points = [&](const char* name) { return ops::cast(drawn[name], DType::float32); };
  const Tensor eight = detail::homography(points("start_points"), points("end_points"));
  const Tensor last = ops::ones_like(ops::split(eight, 8, 1)[0]);
  const Tensor matrix = ops::reshape(ops::concatenate({eight, last}, 1), {-1, 3, 3});
  const Tensor there = ops::transpose(ops::inv(matrix), {{0, 2, 1}});
  const auto p = ops::split(before, 4, -1);
  const Tensor one = ops::ones_like(p[0]);
  std::vector<Tensor> xs, ys;
  for (const auto& [x, y] : {std::pair{0, 1}, {2, 3}, {0, 3}, {2, 1}}) {
    const auto corner = ops::split(
        ops::matmul(
            ops::concatenate({p[static_cast<size_t>(x)], p[static_cast<size_t>(y)], one}, -1),
            there),
        3, -1);
    xs.push_back(corner[0] / corner[2]);
    ys.push_back(corner[1] / corner[2]);
  }
  const Tensor x = ops::concatenate(xs, -1), y = ops::concatenate(ys, -1);
  const Tensor seen = ops::concatenate(
      {ops::min(x, -1, true), ops::min(y, -1, true), ops::max(x, -1, true), ops::max(y, -1, true)},
      -1);
  const Tensor after =
      ops::where(ops::expand_dims(drawn["apply_perspective"], {1, 2}), seen, before);
  return ops::clip_to_image_size(with_entry(boxes, "boxes", after), size.rows(), size.columns());
}

void RandomPerspectiveLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  const int64_t height = height_of(sample), width = width_of(sample);
  std::array<std::array<double, 2>, 4> from, to;
  for (size_t i = 0; i < 4; ++i)
    for (size_t axis = 0; axis < 2; ++axis) {
      const bool far = axis == 0 ? i % 2 == 1 : i >= 2;
      from[i][axis] = far ? static_cast<double>((axis == 0 ? width : height) - 1) : 0;
      to[i][axis] = from[i][axis] * (1 + draws.uniform(-0.5, 0.5) * config.scale);
    }
  data::apply(sample,
              data::warped(data::homography(to, from), height, width,
                           {config.interpolation, "constant", config.fill_value}),
              draws);
}

void register_random_perspective(Catalog& c) {
  c.add<RandomPerspectiveLayer>("keras.layers.RandomPerspective");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomPerspectiveLayer,
                              cornu::layers::RandomPerspectiveConfig>;
