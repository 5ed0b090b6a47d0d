// RandomGaussianBlur: some images blurred at random.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of RandomGaussianBlur.
struct RandomGaussianBlurConfig {
  Numbers factor = 1.0;     ///< [low, high] of the probability; one number f means [0, f]
  Dims<2> kernel_size = 3;  ///< size of the kernel (across, down), odd
  Numbers sigma = 1.0;      ///< [low, high] in [0, 1] of the widths; one number s means [0, s]
  /// Lowest and highest value of a pixel.
  std::vector<double> value_range = {0, 255};
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Blurs each image, with a random probability, by a Gaussian whose widths across and down are
/// drawn for the whole batch. Only in training. Throws ValueError unless the sizes of the kernel
/// are odd.
class RandomGaussianBlurLayer
    : public ImageLayerOf<RandomGaussianBlurLayer, RandomGaussianBlurConfig> {
 public:
  /// Throws ValueError for a factor or sigma wholly outside of [0, 1], a kernel_size that is not
  /// positive and odd, a value_range of other than two numbers, or an unknown data_format.
  explicit RandomGaussianBlurLayer(RandomGaussianBlurConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Transformation get_random_transformation(const Nest& data, bool training = true,
                                           SeedGenerator* seed = nullptr) override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;

 private:
  SeedGenerator& seeds_;
};

/// A shared RandomGaussianBlurLayer, made from its options.
using RandomGaussianBlur = Ref<RandomGaussianBlurLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomGaussianBlurLayer, layers::RandomGaussianBlurConfig>;
}
