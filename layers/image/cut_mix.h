// CutMix: boxes of other images pasted into images.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of CutMix.
struct CutMixConfig {
  Numbers factor = 1.0;              ///< range of the beta distribution's parameter, in [0, 1]
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Replaces a random box of each image by that of another image of the batch; labels, one-hot (n,
/// classes), are mixed by the boxes' areas. Segmentation masks are cut as the images are, and get
/// their number of channels if they have one. A single image stays as it is. Of a sample the boxes
/// of what is pasted are added, cut to the rectangle, and its own become the smallest that hold
/// what is left of them; its points under the rectangle become invisible. Only in training. Source:
/// Yun et al., "CutMix", https://arxiv.org/abs/1905.04899.
class CutMixLayer : public ImageLayerOf<CutMixLayer, CutMixConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1], or an unknown data_format.
  explicit CutMixLayer(CutMixConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
  Tensor transform_labels(const Tensor& labels, const Transformation& drawn,
                          bool training = true) override;
  /// Throws UnsupportedError, as Keras's layer does; data::augment takes samples with boxes.
  Nest transform_bounding_boxes(const Nest& boxes, const Transformation& drawn,
                                bool training = true) override;
  Tensor transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                      bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using CutMix = Ref<CutMixLayer>;  ///< a shared CutMixLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::CutMixLayer, layers::CutMixConfig>;
}
