// CenterCrop: the middle of images.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of CenterCrop.
struct CenterCropConfig {
  Required<int64_t> height;  ///< rows of the result
  Required<int64_t> width;   ///< columns of the result
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// The middle of one image or a batch. Images that are too small are cropped to the ratio of the
/// sides and enlarged. Throws ValueError unless height and width are positive.
class CenterCropLayer : public ImageLayerOf<CenterCropLayer, CenterCropConfig> {
 public:
  /// Throws ValueError unless height and width are positive and data_format is known.
  explicit CenterCropLayer(CenterCropConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
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

using CenterCrop = Ref<CenterCropLayer>;  ///< a shared CenterCropLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::CenterCropLayer, layers::CenterCropConfig>;
}
