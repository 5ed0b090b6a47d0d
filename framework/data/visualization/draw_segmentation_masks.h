// draw_segmentation_masks: the classes of pixels on images.
#pragma once
#include <map>
#include <string>

#include "../../tensor/config.h"
#include "../../tensor/tensor.h"
#include "../canvas.h"

namespace cornu::visualization {

using data::Color;

/// How draw_segmentation_masks draws.
struct DrawMasksOptions {
  /// How many classes have a color, those from 0 on; none: the largest number in the masks, which
  /// then has none itself, as in Keras.
  std::optional<int64_t> num_classes = {};
  /// A color for each class; none: colors of Keras's palette, of which that of class 0 is black.
  std::optional<std::map<int64_t, Color>> color_mapping = {};
  double alpha = 0.8;  ///< fraction of the color, 0 to 1
  bool blend = true;   ///< false: pixels of a class have its color alone
  /// The class of pixels that stay as they are, where colors are blended.
  int64_t ignore_index = -1;
  std::string data_format = config::image_data_format();  ///< or "channels_first"
};

/// The images (batch, height, width, 3), whose numbers are 0 to 255, with the color of the class of
/// each pixel mixed in: uint8, or float32 without `blend`. Masks are integers, (batch, height,
/// width) or (batch, height, width, 1); with "channels_first" the images and the masks of rank 4
/// have their channels first, and the result has them last, as in Keras. Throws ShapeError for
/// other shapes, ValueError for masks of floats and for a class without a color.
Tensor draw_segmentation_masks(const Tensor& images, const Tensor& segmentation_masks,
                               const DrawMasksOptions& options = {});

}  // namespace cornu::visualization
