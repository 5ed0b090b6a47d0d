// MaxNumBoundingBoxes: the same number of boxes for every image.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of MaxNumBoundingBoxes.
struct MaxNumBoundingBoxesConfig {
  Required<int64_t> max_number;  ///< number of boxes of each image in the result
  int64_t fill_value = -1;       ///< coordinates and label of the boxes that are added
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// The first max_number boxes and labels of each image, or as many by adding boxes. Images, labels
/// and masks pass unchanged. Throws ValueError unless max_number is positive.
class MaxNumBoundingBoxesLayer
    : public ImageLayerOf<MaxNumBoundingBoxesLayer, MaxNumBoundingBoxesConfig> {
 public:
  /// Throws ValueError unless max_number is positive and data_format is known.
  explicit MaxNumBoundingBoxesLayer(MaxNumBoundingBoxesConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Tensor transform_images(const Tensor& images, const Transformation& transformation,
                          bool training = true) override;
  /// Whether training or not.
  Nest transform_bounding_boxes(const Nest& bounding_boxes, const Transformation& transformation,
                                bool training = true) override;
};

/// A shared MaxNumBoundingBoxesLayer, made from its options.
using MaxNumBoundingBoxes = Ref<MaxNumBoundingBoxesLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MaxNumBoundingBoxesLayer, layers::MaxNumBoundingBoxesConfig>;
}
