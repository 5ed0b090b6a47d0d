// Parts of images.
#include "random_crop.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/ops/bounding_boxes.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/core/slices.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image/resize.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomCropLayer::RandomCropLayer(RandomCropConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  autocast_ = false;
  check_positive("height", *config.height);
  check_positive("width", *config.width);
  // Keras writes the seed that it chose into the configuration.
  config.seed = seeds_.seed();
}

Transformation RandomCropLayer::get_random_transformation(const Nest& data, bool training,
                                                          SeedGenerator* given) {
  const Shape& shape = images_of(data).shape();
  const ImageSize size = size_of(shape, images_channels_first());
  Transformation drawn{.input_shape = shape};
  if (!training || size.height <= *config.height || size.width <= *config.width) return drawn;
  SeedGenerator& seeds = given ? *given : seeds_;
  const auto start = [&](int64_t room) {
    return ops::cast(random::uniform({}, 0, static_cast<double>(room + 1), seeds), DType::int32);
  };
  const Tensor top = start(size.height - *config.height), left = start(size.width - *config.width);
  drawn.values = {{"h_start", top}, {"w_start", left}};
  return drawn;
}

Tensor RandomCropLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                         bool training) {
  if (!training) return images;
  const Tensor x = ops::cast(images, images_dtype());
  const int64_t height = *config.height, width = *config.width;
  const int rows = x.rank() + height_axis(), columns = x.rank() + width_axis();
  if (drawn.contains("h_start")) {
    const Tensor top = ops::cast(drawn["h_start"], DType::int32),
                 left = ops::cast(drawn["w_start"], DType::int32);
    if (may_move_pictures(x, {top, left}))
      return each_picture(
          x, {top, left}, images_channels_first(), fmt::format("crop {} {}", height, width),
          [](const Picture& from, const Picture& to, const auto& draws) {
            cut_out(from, to, std::clamp<int64_t>(draws.whole(0), 0, from.height - to.height),
                    std::clamp<int64_t>(draws.whole(1), 0, from.width - to.width));
          },
          std::array{height, width});
    const Tensor zero = ops::zeros({}, DType::int32);
    std::vector<Tensor> starts(static_cast<size_t>(x.rank()), zero);
    starts[static_cast<size_t>(rows)] = top;
    starts[static_cast<size_t>(columns)] = left;
    Shape shape = x.shape();
    shape[rows] = height;
    shape[columns] = width;
    return ops::slice(x, ops::stack(starts, 0), shape.vec());
  }
  const CropBox box =
      centered_crop(size_of(drawn.input_shape, images_channels_first()), height, width);
  Value::List key(static_cast<size_t>(x.rank()), Slice{});
  key[static_cast<size_t>(rows)] = Slice{box.top, std::min(box.top + height, x.shape()[rows])};
  key[static_cast<size_t>(columns)] =
      Slice{box.left, std::min(box.left + width, x.shape()[columns])};
  const Tensor part = ops::get_item(x, key);
  if (part.shape()[rows] == height && part.shape()[columns] == width) return part;
  // Resized in float32; a cast to whole numbers cuts their fractions off.
  return ops::cast(ops::resize(ops::cast(part, DType::float32), {height, width}, "bilinear", false,
                               false, false, "constant", 0, config.data_format),
                   images_dtype());
}

Nest RandomCropLayer::transform_bounding_boxes(const Nest& given, const Transformation& drawn,
                                               bool training) {
  if (!training) return given;
  Tensor top, left;
  if (drawn.contains("h_start")) {
    top = drawn["h_start"];
    left = drawn["w_start"];
  } else {
    const CropBox box = centered_crop(size_of(drawn.input_shape, images_channels_first()),
                                      *config.height, *config.width);
    top = Tensor(box.top);
    left = Tensor(box.left);
  }
  const Tensor height(*config.height), width(*config.width);
  const Tensor boxes =
      ops::convert_boxes(given["boxes"], *boxes_format(), "xyxy", height, width).tensor();
  top = ops::cast(top, boxes.dtype());
  left = ops::cast(left, boxes.dtype());
  const Tensor moved = map_sides(boxes, [&](Sides p) {
    for (size_t i = 0; i < 4; ++i) p[i] = ops::maximum(p[i] - (i % 2 ? left : top), 0);
    return p;
  });
  return Nest::dict(
      {{"boxes", ops::convert_boxes(Nest(moved), "xyxy", *boxes_format(), height, width)},
       {"labels", given["labels"]}});
}

Tensor RandomCropLayer::transform_segmentation_masks(const Tensor& masks,
                                                     const Transformation& drawn, bool) {
  return transform_images(masks, drawn);
}

void RandomCropLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const int64_t height = *config.height, width = *config.width;
  const ImageSize size{height_of(sample), width_of(sample)};
  if (size.height > height && size.width > width) {
    const int64_t top = draws.below(size.height - height + 1),
                  left = draws.below(size.width - width + 1);
    return data::apply(sample, data::window(top, left, height, width), draws);
  }
  const CropBox box = centered_crop(size, height, width);
  data::apply(sample,
              data::resized({box.top, box.left, std::min(height, size.height - box.top),
                             std::min(width, size.width - box.left)},
                            height, width, {}),
              draws);
}

void register_random_crop(Catalog& c) { c.add<RandomCropLayer>("keras.layers.RandomCrop"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomCropLayer, cornu::layers::RandomCropConfig>;
