// RandomJpegCompression: images with the artifacts of JPEG files of random quality.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of RandomJpegCompression.
struct RandomJpegCompressionConfig {
  Numbers factor = 1.0;  ///< range of the probability of a change; f means [0, f]
  std::vector<int64_t> quality = {30, 95};     ///< least and largest quality, from 1 to 100
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image of 1 or 3 channels as it comes back from a JPEG file of a random quality: in 256
/// levels of the range of values, with blocks of 8 x 8 pixels and colors at half the resolution.
/// The labels, boxes, points and masks stay. Only in training. As tf.image.random_jpeg_quality.
class RandomJpegCompressionLayer
    : public SampleLayerOf<RandomJpegCompressionLayer, RandomJpegCompressionConfig> {
 public:
  /// Throws ValueError for a factor wholly outside of [0, 1], qualities that are not two numbers
  /// from 1 to 100 in order, or a value_range of other than two numbers.
  explicit RandomJpegCompressionLayer(RandomJpegCompressionConfig config);
  /// Throws ShapeError for other numbers of channels, UnsupportedError when Cornu was built without
  /// libjpeg.
  void augment(data::Sample& sample, data::Draws& draws) const override;
};

/// A shared RandomJpegCompressionLayer, made from its options.
using RandomJpegCompression = Ref<RandomJpegCompressionLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomJpegCompressionLayer,
                              layers::RandomJpegCompressionConfig>;
}
