// Boxes cut off or added.
#include "max_num_bounding_boxes.h"

#include <algorithm>

#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "sample_changes.h"

namespace cornu::layers {

MaxNumBoundingBoxesLayer::MaxNumBoundingBoxesLayer(MaxNumBoundingBoxesConfig c)
    : ImageLayerOf(std::move(c)) {
  check_positive("max_number", *config.max_number);
}

Tensor MaxNumBoundingBoxesLayer::transform_images(const Tensor& images, const Transformation&,
                                                  bool) {
  return images;
}

Nest MaxNumBoundingBoxesLayer::transform_bounding_boxes(const Nest& given, const Transformation&,
                                                        bool) {
  const int64_t most = *config.max_number;
  const auto adjusted = [&](const Tensor& x) {
    const int64_t count = x.shape().at(1);
    const Tensor first = count > most ? ops::get_item(x, Value::List{Slice{}, Slice{0, most}}) : x;
    std::vector<std::vector<int64_t>> width(static_cast<size_t>(x.rank()), {0, 0});
    width[1] = {0, std::max<int64_t>(most - count, 0)};
    return ops::pad(first, width, "constant", static_cast<double>(config.fill_value));
  };
  return with_entry(with_entry(given, "boxes", adjusted(given["boxes"].tensor())), "labels",
                    adjusted(given["labels"].tensor()));
}

void MaxNumBoundingBoxesLayer::augment(data::Sample& sample, data::Draws&) const {
  const int64_t most = *config.max_number;
  if (!sample.boxes) return;
  const Tensor boxes = data::with_rows(sample.boxes, most, static_cast<double>(config.fill_value));
  if (sample.box_labels)
    sample.box_labels =
        data::with_rows(sample.box_labels, most, static_cast<double>(config.fill_value));
  sample.boxes = boxes;
}

void register_max_num_bounding_boxes(Catalog& c) {
  c.add<MaxNumBoundingBoxesLayer>("keras.layers.MaxNumBoundingBoxes");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MaxNumBoundingBoxesLayer,
                              cornu::layers::MaxNumBoundingBoxesConfig>;
