// Resizing: images of another size.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct ResizingConfig {
  Required<int64_t> height;
  Required<int64_t> width;
  std::string interpolation = "bilinear";
  bool crop_to_aspect_ratio = false;
  bool pad_to_aspect_ratio = false;
  std::string fill_mode = "constant";
  double fill_value = 0.0;
  bool antialias = false;
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// ops::resize of one image or a batch; integers stay integers. Boxes that are all 0 or all -1
/// stand for none and become 0.
class ResizingLayer : public ImageLayerOf<ResizingLayer, ResizingConfig> {
 public:
  explicit ResizingLayer(ResizingConfig config);
  /// Nothing random: the shape of the images.
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& transformation,
                          bool training = true) override;
  Nest transform_bounding_boxes(const Nest& bounding_boxes, const Transformation& transformation,
                                bool training = true) override;
  Tensor transform_segmentation_masks(const Tensor& segmentation_masks,
                                      const Transformation& transformation,
                                      bool training = true) override;

 protected:
  Tensor transform_pixels(const Tensor& images, const Transformation& transformation,
                          const std::string& interpolation) override;
};

using Resizing = Ref<ResizingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ResizingLayer, layers::ResizingConfig>;
}
