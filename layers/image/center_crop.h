// CenterCrop: the middle of images.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct CenterCropConfig {
  Required<int64_t> height;
  Required<int64_t> width;
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// The middle of one image or a batch. Images that are too small are cropped to the ratio of the
/// sides and enlarged.
class CenterCropLayer : public ImageLayerOf<CenterCropLayer, CenterCropConfig> {
 public:
  explicit CenterCropLayer(CenterCropConfig config);
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
};

using CenterCrop = Ref<CenterCropLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::CenterCropLayer, layers::CenterCropConfig>;
}
