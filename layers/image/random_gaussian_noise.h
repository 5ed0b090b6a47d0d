// RandomGaussianNoise: images with normal noise at random.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of RandomGaussianNoise.
struct RandomGaussianNoiseConfig {
  Numbers factor = 1.0;           ///< range of the probability of a change; f means [0, f]
  Numbers stddev = {0.05, 0.15};  ///< range of the deviation, of the range of values; f: [0, f]
  bool per_channel = true;        ///< noise of each channel; or else the same for all three
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Adds normal noise of mean 0 to each image, and cuts off what leaves the range of values. Only in
/// training.
class RandomGaussianNoiseLayer
    : public SampleLayerOf<RandomGaussianNoiseLayer, RandomGaussianNoiseConfig> {
 public:
  /// Throws ValueError for a factor or stddev wholly outside of [0, 1], or a value_range of other
  /// than two numbers.
  explicit RandomGaussianNoiseLayer(RandomGaussianNoiseConfig config);
  void augment(data::Sample& sample, data::Draws& draws) const override;
};

/// A shared RandomGaussianNoiseLayer, made from its options.
using RandomGaussianNoise = Ref<RandomGaussianNoiseLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomGaussianNoiseLayer, layers::RandomGaussianNoiseConfig>;
}
