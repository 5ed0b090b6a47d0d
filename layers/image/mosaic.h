// Mosaic: four images put together as one.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of Mosaic.
struct MosaicConfig {
  double center = 0.25;  ///< in [0, 0.5]: how far their common corner is from the edges, at least
  double fill_value = 114.0;         ///< where one of them is too small; masks and depth get 0
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image and three others of the source in the four corners of one of the image's size, which
/// meet at a random place (Bochkovskiy et al., YOLOv4, https://arxiv.org/abs/2004.10934). Boxes of
/// all four are kept; masks are put together too; labels of probabilities are mixed by the areas of
/// the corners. Points become those of the first alone. For samples with a source of others; in
/// batches there is none. Only in training.
class MosaicLayer : public SampleLayerOf<MosaicLayer, MosaicConfig> {
 public:
  /// Throws ValueError for a center outside of [0, 0.5].
  explicit MosaicLayer(MosaicConfig config);
  /// Throws ShapeError for labels of classes given as numbers, which cannot be mixed.
  void augment(data::Sample& sample, data::Draws& draws) const override;
};

/// A shared MosaicLayer, made from its options.
using Mosaic = Ref<MosaicLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MosaicLayer, layers::MosaicConfig>;
}
