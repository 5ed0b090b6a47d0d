// MaxNumBoundingBoxes: the same number of boxes for every image.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct MaxNumBoundingBoxesConfig {
  Required<int64_t> max_number;
  int64_t fill_value = -1;  ///< the numbers, and the label, of the boxes that are added
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// The first max_number boxes and labels of each image, or as many by adding boxes. Images, labels
/// and masks pass unchanged.
class MaxNumBoundingBoxesLayer
    : public ImageLayerOf<MaxNumBoundingBoxesLayer, MaxNumBoundingBoxesConfig> {
 public:
  explicit MaxNumBoundingBoxesLayer(MaxNumBoundingBoxesConfig config);
  Tensor transform_images(const Tensor& images, const Transformation& transformation,
                          bool training = true) override;
  /// Whether training or not.
  Nest transform_bounding_boxes(const Nest& bounding_boxes, const Transformation& transformation,
                                bool training = true) override;
};

using MaxNumBoundingBoxes = Ref<MaxNumBoundingBoxesLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MaxNumBoundingBoxesLayer, layers::MaxNumBoundingBoxesConfig>;
}
