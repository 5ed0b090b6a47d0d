// Resizing: images of another size.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of Resizing.
struct ResizingConfig {
  Required<int64_t> height;  ///< rows of the result
  Required<int64_t> width;   ///< columns of the result
  /// "nearest", "bilinear", "bicubic", "lanczos3", "lanczos5" or "area".
  std::string interpolation = "bilinear";
  bool crop_to_aspect_ratio = false;   ///< keep the ratio of the sides by cutting the longer
  bool pad_to_aspect_ratio = false;    ///< keep the ratio of the sides by padding the shorter
  std::string fill_mode = "constant";  ///< of the padding; "constant" is the only one
  double fill_value = 0.0;             ///< of the padding
  bool antialias = false;              ///< average over source pixels where images shrink
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// ops::resize of one image or a batch; integers stay integers. Boxes that are all 0 or all -1
/// count as none and become 0. Throws ValueError unless height and width are positive.
class ResizingLayer : public ImageLayerOf<ResizingLayer, ResizingConfig> {
 public:
  /// Throws ValueError unless height and width are positive and data_format is known.
  explicit ResizingLayer(ResizingConfig config);
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

 protected:
  Tensor transform_pixels(const Tensor& images, const Transformation& transformation,
                          const std::string& interpolation) override;
};

using Resizing = Ref<ResizingLayer>;  ///< a shared ResizingLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ResizingLayer, layers::ResizingConfig>;
}
