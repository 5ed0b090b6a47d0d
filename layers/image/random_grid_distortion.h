// RandomGridDistortion: images on a grid whose lines are moved at random.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of RandomGridDistortion.
struct RandomGridDistortionConfig {
  Numbers factor = 1.0;   ///< range of the probability of a change; f means [0, f]
  int64_t num_steps = 5;  ///< cells of the grid along each axis
  double scale = 0.3;     ///< in [0, 1): how much larger or smaller than their share cells become
  std::string interpolation = "bilinear";  ///< how pixels are sampled: "bilinear" or "nearest"
  /// Pixels from outside: "constant", "nearest", "wrap", "mirror" or "reflect".
  std::string fill_mode = "reflect";
  double fill_value = 0.0;           ///< of pixels from outside with fill_mode "constant"
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image with the columns and rows of a grid stretched and shrunk by random factors from 1 -
/// scale to 1 + scale; the image's edges stay where they are. Only in training.
class RandomGridDistortionLayer
    : public SampleLayerOf<RandomGridDistortionLayer, RandomGridDistortionConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1], a scale outside of [0, 1), or fewer
  /// than one step; UnsupportedError for an unknown interpolation or fill_mode.
  explicit RandomGridDistortionLayer(RandomGridDistortionConfig config);
  void augment(data::Sample& sample, data::Draws& draws) const override;
};

/// A shared RandomGridDistortionLayer, made from its options.
using RandomGridDistortion = Ref<RandomGridDistortionLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomGridDistortionLayer,
                              layers::RandomGridDistortionConfig>;
}
