// The middle of images.
#include "center_crop.h"

#include "../../framework/ops/bounding_boxes.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/image/padding.h"
#include "../../framework/ops/image/resize.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

CenterCropLayer::CenterCropLayer(CenterCropConfig c) : ImageLayerOf(std::move(c)) {
  check_positive("height", *config.height);
  check_positive("width", *config.width);
}

Transformation CenterCropLayer::get_random_transformation(const Nest& data, bool, SeedGenerator*) {
  return {.input_shape = images_of(data).shape()};
}

Tensor CenterCropLayer::transform_images(const Tensor& images, const Transformation&, bool) {
  const Tensor x = ops::cast(images, images_dtype());
  const int64_t height = *config.height, width = *config.width;
  const ImageSize size = size_of(x.shape(), images_channels_first());
  const int64_t above = size.height - height, beside = size.width - width;
  // Keras leaves what it resizes in float32, whatever the layer computes in.
  if (above < 0 || beside < 0)
    return ops::resize(ops::cast(x, DType::float32), {height, width}, "bilinear", false, true,
                       false, "constant", 0, config.data_format);
  return ops::crop_images(x, above / 2, beside / 2, {}, {}, height, width, config.data_format);
}

Nest CenterCropLayer::transform_bounding_boxes(const Nest& given, const Transformation& drawn,
                                               bool) {
  const int64_t height = *config.height, width = *config.width;
  const ImageSize size = size_of(drawn.input_shape, images_channels_first());
  Nest boxes = ops::convert_boxes(given, *boxes_format(), "xyxy", size.rows(), size.columns());
  const bool fits = size.height >= height && size.width >= width;
  const CropBox part =
      fits ? CropBox{(size.height - height) / 2, (size.width - width) / 2, height, width}
           : centered_crop(size, height, width);
  const Tensor inside = map_sides(boxes["boxes"].tensor(), [&](Sides p) {
    for (size_t i = 0; i < 4; ++i) {
      const int64_t start = i % 2 ? part.top : part.left, length = i % 2 ? part.height : part.width;
      p[i] = ops::clip(p[i], start, start + length) - start;
    }
    return p;
  });
  boxes = with_entry(boxes, "boxes", inside);
  const Tensor rows(height), columns(width);
  if (!fits)
    boxes = ops::convert_boxes(
        ops::convert_boxes(boxes, "xyxy", "rel_xyxy", Tensor(part.height), Tensor(part.width)),
        "rel_xyxy", "xyxy", rows, columns);
  boxes = ops::clip_to_image_size(boxes, rows, columns);
  return ops::convert_boxes(boxes, "xyxy", *boxes_format(), rows, columns);
}

Tensor CenterCropLayer::transform_segmentation_masks(const Tensor& masks,
                                                     const Transformation& drawn, bool training) {
  return transform_images(masks, drawn, training);
}

void CenterCropLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const int64_t height = *config.height, width = *config.width;
  const ImageSize size{height_of(sample), width_of(sample)};
  if (size.height >= height && size.width >= width)
    return data::apply(
        sample, data::window((size.height - height) / 2, (size.width - width) / 2, height, width),
        draws);
  const CropBox box = centered_crop(size, height, width);
  data::apply(sample, data::resized({box.top, box.left, box.height, box.width}, height, width, {}),
              draws);
}

void register_center_crop(Catalog& c) { c.add<CenterCropLayer>("keras.layers.CenterCrop"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::CenterCropLayer, cornu::layers::CenterCropConfig>;
