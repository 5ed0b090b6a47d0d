// RandomMotionBlur: images blurred along a line at random.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of RandomMotionBlur.
struct RandomMotionBlurConfig {
  Numbers factor = 1.0;  ///< range of the probability of a change; f means [0, f]
  std::vector<int64_t> kernel_size = {3, 7};  ///< least and largest length of the line, odd pixels
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image as if the camera had moved while it was taken: pixels become means along a line of
/// random length and direction. Beyond its edges an image goes on by reflection. Only in training.
class RandomMotionBlurLayer : public SampleLayerOf<RandomMotionBlurLayer, RandomMotionBlurConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1] or sizes that are not two odd numbers
  /// from 3 on, in order.
  explicit RandomMotionBlurLayer(RandomMotionBlurConfig config);
  void augment(data::Sample& sample, data::Draws& draws) const override;
};

/// A shared RandomMotionBlurLayer, made from its options.
using RandomMotionBlur = Ref<RandomMotionBlurLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomMotionBlurLayer, layers::RandomMotionBlurConfig>;
}
