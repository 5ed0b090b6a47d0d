// CutMix: boxes of other images pasted into images.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct CutMixConfig {
  Numbers factor = 1.0;  ///< [low, high] in [0, 1] of the beta distribution's parameter
  std::optional<int64_t> seed = {};
  std::string data_format = "channels_last";
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Replaces a random box of each image by that of another image of the batch; labels, one-hot (n,
/// classes), are mixed by the boxes' areas. Segmentation masks are cut as the images are, and get
/// their number of channels if they have one. A single image stays as it is. Only in training.
/// Source: Yun et al., "CutMix", https://arxiv.org/abs/1905.04899.
class CutMixLayer : public ImageLayerOf<CutMixLayer, CutMixConfig> {
 public:
  explicit CutMixLayer(CutMixConfig config);
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
  Tensor transform_labels(const Tensor& labels, const Transformation& drawn,
                          bool training = true) override;
  /// Throws UnsupportedError, as Keras's layer does.
  Nest transform_bounding_boxes(const Nest& boxes, const Transformation& drawn,
                                bool training = true) override;
  Tensor transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                      bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using CutMix = Ref<CutMixLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::CutMixLayer, layers::CutMixConfig>;
}
