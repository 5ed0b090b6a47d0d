// RandomGrayscale: some images without colors.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

struct RandomGrayscaleConfig {
  double factor = 0.5;  ///< share of images that lose their colors
  std::string data_format = "channels_last";
  std::optional<int64_t> seed = {};
  std::optional<std::string> bounding_box_format = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Each image, with probability `factor`, in gray: the three channels become equal. Only in
/// training.
class RandomGrayscaleLayer : public ImageLayerOf<RandomGrayscaleLayer, RandomGrayscaleConfig> {
 public:
  explicit RandomGrayscaleLayer(RandomGrayscaleConfig config);
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

using RandomGrayscale = Ref<RandomGrayscaleLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomGrayscaleLayer, layers::RandomGrayscaleConfig>;
}
