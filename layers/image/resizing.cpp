// Images of another size.
#include "resizing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "../../framework/ops/bounding_boxes.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image/resize.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {
namespace {

// What happens to a place: along each axis it is scaled, then moved.
struct Scaling {
  std::array<float, 2> scale, shift;  // of x, of y
};

// In float32, in the order of Keras's steps.
Scaling scaling_of(const ResizingConfig& config, ImageSize size) {
  const auto height = static_cast<float>(size.height), width = static_cast<float>(size.width);
  const auto to_height = static_cast<float>(*config.height),
             to_width = static_cast<float>(*config.width);
  if (config.pad_to_aspect_ratio) {
    const float least = std::min(to_height / height, to_width / width);
    return {
        {least, least},
        {std::floor((to_width - width * least) / 2), std::floor((to_height - height * least) / 2)}};
  }
  if (!config.crop_to_aspect_ratio) return {{to_width / width, to_height / height}, {0, 0}};
  const float ratio = width / height;
  const bool wide = ratio > to_width / to_height;
  const float new_width = wide ? to_height * ratio : to_width,
              new_height = wide ? to_height : to_width / ratio;
  return {{new_width / width, new_height / height},
          {-std::floor((new_width - to_width) / 2), -std::floor((new_height - to_height) / 2)}};
}

}  // namespace

ResizingLayer::ResizingLayer(ResizingConfig c) : ImageLayerOf(std::move(c)) {
  check_positive("height", *config.height);
  check_positive("width", *config.width);
}

Transformation ResizingLayer::get_random_transformation(const Nest& data, bool, SeedGenerator*) {
  return {.input_shape = images_of(data).shape()};
}

Tensor ResizingLayer::transform_pixels(const Tensor& images, const Transformation&,
                                       const std::string& interpolation) {
  return ops::resize(images, {*config.height, *config.width}, interpolation, config.antialias,
                     config.crop_to_aspect_ratio, config.pad_to_aspect_ratio, config.fill_mode,
                     config.fill_value, config.data_format);
}

Tensor ResizingLayer::transform_images(const Tensor& images, const Transformation& drawn, bool) {
  return transform_pixels(images, drawn, config.interpolation);
}

Tensor ResizingLayer::transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                                   bool) {
  return transform_pixels(masks, drawn, "nearest");
}

Nest ResizingLayer::transform_bounding_boxes(const Nest& given, const Transformation& drawn, bool) {
  const ImageSize size = size_of(drawn.input_shape, images_channels_first());
  const Tensor& original = given["boxes"].tensor();
  const auto all_are = [&](double value) {
    return ops::all(ops::equal(original, value), {-1}, true);
  };
  const Tensor none = ops::logical_or(all_are(-1), all_are(0));
  Nest boxes = ops::convert_boxes(given, *boxes_format(), "xyxy", size.rows(), size.columns());
  const Scaling scaling = scaling_of(config, size);
  const Tensor moved = map_sides(boxes["boxes"].tensor(), [&](Sides p) {
    for (size_t i = 0; i < 4; ++i)
      p[i] = p[i] * static_cast<double>(scaling.scale[i % 2]) +
             static_cast<double>(scaling.shift[i % 2]);
    return p;
  });
  const Tensor rows(*config.height), columns(*config.width);
  boxes = ops::clip_to_image_size(with_entry(boxes, "boxes", moved), rows, columns);
  boxes = with_entry(boxes, "boxes", ops::where(none, 0.0, boxes["boxes"].tensor()));
  return ops::convert_boxes(boxes, "xyxy", *boxes_format(), rows, columns);
}

void ResizingLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const int64_t height = *config.height, width = *config.width;
  const int64_t h = height_of(sample), w = width_of(sample);
  const backend::image::Resizing how{config.interpolation, config.antialias};
  CropBox box{0, 0, h, w};
  if (config.crop_to_aspect_ratio) box = centered_crop({h, w}, height, width);
  if (config.pad_to_aspect_ratio) {
    const int64_t above = (std::max(h, w * height / width) - h) / 2,
                  beside = above > 0 ? 0 : (std::max(w, h * width / height) - w) / 2;
    box = {0, 0, h + 2 * above, w + 2 * beside};
    if (above > 0 || beside > 0)
      data::apply(sample, data::window(-above, -beside, box.height, box.width, config.fill_value),
                  draws);
  }
  data::apply(sample, data::resized({box.top, box.left, box.height, box.width}, height, width, how),
              draws);
}

void register_resizing(Catalog& c) { c.add<ResizingLayer>("keras.layers.Resizing"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ResizingLayer, cornu::layers::ResizingConfig>;
