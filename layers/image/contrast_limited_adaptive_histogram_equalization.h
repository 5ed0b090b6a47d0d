// ContrastLimitedAdaptiveHistogramEqualization: local contrasts made even.
#pragma once
#include "image_layer.h"

namespace cornu::layers {

/// Options of ContrastLimitedAdaptiveHistogramEqualization.
struct ContrastLimitedAdaptiveHistogramEqualizationConfig {
  std::vector<double> value_range = {0, 255};  ///< lowest and highest value of a pixel
  /// Of a bin's count, in means of all bins; no limit unless positive.
  double clip_limit = 4.0;
  Dims<2> tile_grid_size = {8, 8};  ///< tiles (down, across)
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// Of boxes in the input, "xyxy" for example; see ops::convert_boxes.
  std::optional<std::string> bounding_box_format = {};
  CORNU_LAYER_OPTIONS;
};

/// Equalizes the histograms of tiles of each image, cut off at a limit so that noise does not grow;
/// between the centers of tiles it is interpolated. Sizes that the tiles do not divide are padded
/// by reflection. Keeps the dtype of the images. Source: Zuiderveld, "Contrast limited adaptive
/// histogram equalization", Graphics Gems IV, 1994. Throws ValueError unless the numbers of tiles
/// are positive.
class ContrastLimitedAdaptiveHistogramEqualizationLayer
    : public ImageLayerOf<ContrastLimitedAdaptiveHistogramEqualizationLayer,
                          ContrastLimitedAdaptiveHistogramEqualizationConfig> {
 public:
  /// Throws ValueError for a value_range of other than two numbers, a number of tiles that is not
  /// positive, or an unknown data_format.
  explicit ContrastLimitedAdaptiveHistogramEqualizationLayer(
      ContrastLimitedAdaptiveHistogramEqualizationConfig config);
  /// Changes a sample with the same options; its draws follow from its place alone.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Tensor transform_images(const Tensor& images, const Transformation& drawn,
                          bool training = true) override;
};

/// A shared ContrastLimitedAdaptiveHistogramEqualizationLayer, made from its options.
using ContrastLimitedAdaptiveHistogramEqualization =
    Ref<ContrastLimitedAdaptiveHistogramEqualizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ContrastLimitedAdaptiveHistogramEqualizationLayer,
                              layers::ContrastLimitedAdaptiveHistogramEqualizationConfig>;
}
