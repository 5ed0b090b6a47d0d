// One transformation for images and all that belongs to them.
#include "image_layer.h"

#include <fmt/core.h>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"

namespace cornu::layers {
namespace {

template <class Entries>
const auto& named(const Entries& entries, const std::string& name, const char* what) {
  std::vector<std::string> names;
  for (const auto& [key, value] : entries) {
    if (key == name) return value;
    names.push_back(key);
  }
  throw ValueError(
      fmt::format("the transformation has no {} '{}'.{}", what, name, did_you_mean(name, names)));
}

const Nest* entry(const Nest& dict, const std::string& key) {
  for (const auto& [name, value] : dict.entries())
    if (name == key) return &value;
  return nullptr;
}

// Boxes and labels with an axis for the batch, or without it again.
Nest map_boxes(const Nest& boxes, Tensor (*f)(const Tensor&)) {
  Nest::Dict result;
  for (const auto& [key, value] : boxes.entries())
    result.emplace_back(key, key == "boxes" || key == "labels" ? Nest(f(value.tensor())) : value);
  return Nest::dict(result);
}

Tensor batched(const Tensor& x) { return ops::expand_dims(x, {0}); }
Tensor single(const Tensor& x) { return ops::squeeze(x, 0); }

}  // namespace

bool Transformation::contains(const std::string& name) const {
  for (const auto& [key, value] : values)
    if (key == name) return true;
  return false;
}

const Tensor& Transformation::operator[](const std::string& name) const {
  return named(values, name, "value").tensor();
}

const Transformation& Transformation::part(const std::string& name) const {
  return named(parts, name, "part");
}

Tensor images_of(const Nest& data) {
  const Tensor images = data.is_dict() ? data["images"] : data;
  if (images.rank() != 3 && images.rank() != 4)
    throw ShapeError(
        fmt::format("expected one image (3 axes) or a batch of them (4 axes), found shape {}.",
                    images.shape().str()));
  return images;
}

int64_t batch_of(const Nest& data) {
  const Tensor& images = images_of(data);
  return images.rank() == 4 ? images.shape()[0] : 1;
}

Nest with_entry(const Nest& dict, const std::string& key, Nest value) {
  Nest::Dict entries = dict.entries();
  for (auto& [name, old] : entries)
    if (name == key) {
      old = std::move(value);
      return Nest::dict(std::move(entries));
    }
  entries.emplace_back(key, std::move(value));
  return Nest::dict(std::move(entries));
}

Nest checked_bounding_boxes(const Nest& bounding_boxes) {
  if (!bounding_boxes.is_dict() || !entry(bounding_boxes, "boxes") ||
      !entry(bounding_boxes, "labels"))
    throw ValueError(
        "bounding_boxes: expected a dictionary with the entries 'boxes' and 'labels', found " +
        bounding_boxes.structure() + ".");
  const Tensor& boxes = bounding_boxes["boxes"].tensor();
  const int labels_rank = bounding_boxes["labels"].tensor().rank();
  if (boxes.rank() != 2 && boxes.rank() != 3)
    throw ShapeError(fmt::format(
        "bounding_boxes: expected boxes (boxes, 4) or (batch, boxes, 4), found shape {}.",
        boxes.shape().str()));
  if (labels_rank != boxes.rank() - 1 && labels_rank != boxes.rank())
    throw ShapeError(
        fmt::format("bounding_boxes: labels of boxes {} have {} or {} axes, found shape {}.",
                    boxes.shape().str(), boxes.rank() - 1, boxes.rank(),
                    bounding_boxes["labels"].tensor().shape().str()));
  return with_entry(bounding_boxes, "boxes", ops::cast(boxes, DType::float32));
}

void ImagePreprocessing::augment(data::Sample& sample, data::Draws& draws) const {
  for (const auto& [name, attached] : sample.more)
    if (attached.follow != data::Follow::unchanged)
      throw UnsupportedError(
          "this layer has no kernel of its own for samples, and cannot change '" + name +
          "': override augment.");
  if (sample.points)
    throw UnsupportedError(
        "this layer has no kernel of its own for samples, and cannot move points: override "
        "augment.");
  Nest::Dict data = {{"images", sample.image}};
  if (sample.label) data.emplace_back("labels", sample.label);
  if (sample.mask) data.emplace_back("segmentation_masks", sample.mask);
  if (sample.boxes)
    data.emplace_back("bounding_boxes",
                      Nest::dict({{"boxes", sample.boxes}, {"labels", sample.box_labels}}));
  SeedGenerator seeds(static_cast<int64_t>(draws.bits() >> 33));
  // The layer's own seeds are left alone: the draws are made with others.
  auto& self = const_cast<ImagePreprocessing&>(*this);
  const Nest result = self.transform_drawn(
      Nest::dict(data), self.get_random_transformation(Nest::dict(data), true, &seeds), true);
  sample.image = result["images"].tensor();
  if (sample.label) sample.label = result["labels"].tensor();
  if (sample.mask) sample.mask = result["segmentation_masks"].tensor();
  if (!sample.boxes) return;
  sample.boxes = result["bounding_boxes"]["boxes"].tensor();
  sample.box_labels = result["bounding_boxes"]["labels"].tensor();
}

Transformation ImagePreprocessing::get_random_transformation(const Nest&, bool, SeedGenerator*) {
  return {};
}

Tensor ImagePreprocessing::transform_images(const Tensor& images,
                                            const Transformation& transformation, bool training) {
  const Tensor x = ops::cast(images, images_dtype());
  return training ? transform_pixels(x, transformation, images_interpolation()) : x;
}

Tensor ImagePreprocessing::transform_labels(const Tensor& labels, const Transformation&, bool) {
  return labels;
}

Nest ImagePreprocessing::transform_bounding_boxes(const Nest& boxes, const Transformation&, bool) {
  return boxes;
}

Tensor ImagePreprocessing::transform_segmentation_masks(const Tensor& masks,
                                                        const Transformation& transformation,
                                                        bool training) {
  return training ? transform_pixels(masks, transformation, "nearest") : masks;
}

Tensor ImagePreprocessing::transform_pixels(const Tensor& images, const Transformation&,
                                            const std::string&) {
  return images;
}

Tensor ImagePreprocessing::transform_single_image(const Tensor& image,
                                                  const Transformation& transformation,
                                                  bool training) {
  return single(transform_images(batched(image), transformation, training));
}

Tensor ImagePreprocessing::transform_single_label(const Tensor& label,
                                                  const Transformation& transformation,
                                                  bool training) {
  return single(transform_labels(batched(label), transformation, training));
}

Nest ImagePreprocessing::transform_single_bounding_box(const Nest& bounding_box,
                                                       const Transformation& transformation,
                                                       bool training) {
  return map_boxes(
      transform_bounding_boxes(map_boxes(bounding_box, batched), transformation, training), single);
}

Tensor ImagePreprocessing::transform_single_segmentation_mask(const Tensor& segmentation_mask,
                                                              const Transformation& transformation,
                                                              bool training) {
  return single(transform_segmentation_masks(batched(segmentation_mask), transformation, training));
}

Nest ImagePreprocessing::transform(const Nest& data, bool training) {
  return transform_drawn(data, get_random_transformation(data, training), training);
}

Nest ImagePreprocessing::transform_drawn(const Nest& data, const Transformation& drawn,
                                         bool training) {
  const bool is_batch = images_of(data).rank() == 4;
  const auto changed = [&](const Tensor& images) {
    return is_batch ? transform_images(images, drawn, training)
                    : transform_single_image(images, drawn, training);
  };
  if (!data.is_dict()) return changed(data.tensor());
  Nest result = with_entry(data, "images", changed(data["images"].tensor()));
  if (const Nest* given = entry(data, "bounding_boxes")) {
    if (!boxes_format())
      throw ValueError(
          "there are 'bounding_boxes' in the input, but no bounding_box_format: set the option, "
          "for instance .bounding_box_format = \"xyxy\".");
    const Nest boxes = checked_bounding_boxes(*given);
    result = with_entry(result, "bounding_boxes",
                        is_batch ? transform_bounding_boxes(boxes, drawn, training)
                                 : transform_single_bounding_box(boxes, drawn, training));
  }
  if (const Nest* given = entry(data, "labels"))
    result = with_entry(result, "labels",
                        is_batch ? transform_labels(given->tensor(), drawn, training)
                                 : transform_single_label(given->tensor(), drawn, training));
  if (const Nest* given = entry(data, "segmentation_masks"))
    result =
        with_entry(result, "segmentation_masks",
                   is_batch ? transform_segmentation_masks(given->tensor(), drawn, training)
                            : transform_single_segmentation_mask(given->tensor(), drawn, training));
  return result;
}

}  // namespace cornu::layers
