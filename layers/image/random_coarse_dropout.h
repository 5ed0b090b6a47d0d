// RandomCoarseDropout: images with several rectangles painted over at random.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of RandomCoarseDropout.
struct RandomCoarseDropoutConfig {
  Numbers factor = 1.0;                 ///< range of the probability of a change; f means [0, f]
  std::vector<int64_t> count = {1, 8};  ///< least and largest number of rectangles
  Numbers size = {0.05, 0.15};          ///< range of their sides, of the image's; f means [0, f]
  double fill_value = 0.0;              ///< what they are painted with
  bool mask = false;                    ///< whether masks are painted too, with mask_fill_value
  double mask_fill_value = 0.0;         ///< for masks
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Paints a random number of rectangles over each image, as DeVries and Taylor's cutout does with
/// one (https://arxiv.org/abs/1708.04552). Points in a rectangle become invisible; boxes stay. Only
/// in training.
class RandomCoarseDropoutLayer
    : public SampleLayerOf<RandomCoarseDropoutLayer, RandomCoarseDropoutConfig> {
 public:
  /// Throws ValueError for a factor or size wholly outside of [0, 1], or counts out of order.
  explicit RandomCoarseDropoutLayer(RandomCoarseDropoutConfig config);
  void augment(data::Sample& sample, data::Draws& draws) const override;
};

/// A shared RandomCoarseDropoutLayer, made from its options.
using RandomCoarseDropout = Ref<RandomCoarseDropoutLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomCoarseDropoutLayer, layers::RandomCoarseDropoutConfig>;
}
