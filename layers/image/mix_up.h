// MixUp: weighted means of pairs of images.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of MixUp.
struct MixUpConfig {
  double alpha = 0.2;  ///< both parameters of the beta distribution
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image becomes w * x + (1 - w) * (another image of the batch) with w drawn from a beta
/// distribution, and so do labels, one-hot (n, classes). Boxes are those of both images. What Keras
/// does to the labels of boxes (joined along the batch) and to segmentation masks (mixed with
/// single elements of the flattened masks) is done here too. Of a sample depth and attached linear
/// pictures are mixed as the image is; it keeps its points, and has the mask and attached nearest
/// pictures of that of the two with more weight. Only in training. Source: Zhang et
/// al., "mixup", https://arxiv.org/abs/1710.09412.
class MixUpLayer : public ImageLayerOf<MixUpLayer, MixUpConfig> {
 public:
  /// Throws ValueError for an unknown data_format.
  explicit MixUpLayer(MixUpConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
  Tensor transform_labels(const Tensor& labels, const Transformation& drawn,
                          bool training = true) override;
  Nest transform_bounding_boxes(const Nest& boxes, const Transformation& drawn,
                                bool training = true) override;
  Tensor transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                      bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using MixUp = Ref<MixUpLayer>;  ///< a shared MixUpLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MixUpLayer, layers::MixUpConfig>;
}
