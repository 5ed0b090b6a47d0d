// RandomChannelShuffle: images with their channels in another order at random.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of RandomChannelShuffle.
struct RandomChannelShuffleConfig {
  Numbers factor = 1.0;              ///< range of the probability of a change; f means [0, f]
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// The channels of each image in a random order; of images with three channels. Only in training.
class RandomChannelShuffleLayer
    : public SampleLayerOf<RandomChannelShuffleLayer, RandomChannelShuffleConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1].
  explicit RandomChannelShuffleLayer(RandomChannelShuffleConfig config);
  void augment(data::Sample& sample, data::Draws& draws) const override;
};

/// A shared RandomChannelShuffleLayer, made from its options.
using RandomChannelShuffle = Ref<RandomChannelShuffleLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomChannelShuffleLayer,
                              layers::RandomChannelShuffleConfig>;
}
