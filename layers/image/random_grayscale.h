// RandomGrayscale: some images without colors.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomGrayscale.
struct RandomGrayscaleConfig {
  double factor = 0.5;  ///< fraction of images that lose their colors
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Each image, with probability `factor`, in gray: the three channels become equal. Only in
/// training. Throws ValueError for a factor outside of [0, 1].
class RandomGrayscaleLayer : public ImageLayerOf<RandomGrayscaleLayer, RandomGrayscaleConfig> {
 public:
  /// Throws ValueError for a factor outside of [0, 1] or an unknown data_format.
  explicit RandomGrayscaleLayer(RandomGrayscaleConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

/// A shared RandomGrayscaleLayer, made from its options.
using RandomGrayscale = Ref<RandomGrayscaleLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomGrayscaleLayer, layers::RandomGrayscaleConfig>;
}
