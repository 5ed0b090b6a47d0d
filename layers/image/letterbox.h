// Letterbox: images resized and padded to a size.
#pragma once
#include "sample_layer.h"

namespace cornu::layers {

/// Options of Letterbox.
struct LetterboxConfig {
  Required<int64_t> height;  ///< rows of the result
  Required<int64_t> width;   ///< columns of the result
  /// "nearest", "bilinear", "bicubic", "lanczos3", "lanczos5" or "area".
  std::string interpolation = "bilinear";
  bool antialias = false;            ///< average over source pixels where images shrink
  double fill_value = 114.0;         ///< of the padding; masks and depth get 0
  std::optional<int64_t> seed = {};  ///< seed of the random draws of batches; none: one is chosen
  std::string data_format = "channels_last";  ///< position of the channel axis; no other is taken
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image as large as it fits into height x width with its own ratio of the sides, in the
/// middle of padding, as detectors are fed. Also when not training.
class LetterboxLayer : public SampleLayerOf<LetterboxLayer, LetterboxConfig> {
 public:
  /// Throws ValueError unless height and width are positive.
  explicit LetterboxLayer(LetterboxConfig config);
  void augment(data::Sample& sample, data::Draws& draws) const override;

 protected:
  std::pair<int64_t, int64_t> output_size(int64_t, int64_t) const override {
    return {*config.height, *config.width};
  }
  bool always() const override { return true; }
};

/// A shared LetterboxLayer, made from its options.
using Letterbox = Ref<LetterboxLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LetterboxLayer, layers::LetterboxConfig>;
}
