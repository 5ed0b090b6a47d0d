// MobileNetV2: inverted residuals with linear bottlenecks, as Keras names and builds it.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Options of MobileNetV2, in Keras's order.
struct MobileNetV2Options {
  /// (height, width, channels) of one image; default: (224, 224, 3) with the top, else any.
  OptionalList<Shape> input_shape = {};
  double alpha = 1.0;       ///< factor of the number of filters in each layer, positive
  bool include_top = true;  ///< end with the classifier
  /// {}: random, or the path of a file; see ApplicationOptions.
  OptionalText weights = "imagenet";
  Tensor input_tensor = {};   ///< a symbolic tensor to start from instead of an Input
  OptionalText pooling = {};  ///< without the top: {} (all places), "avg" or "max"
  int64_t classes = 1000;     ///< number of classes, with the top
  /// Of the classifier; {}: logits.
  cornu::Activation classifier_activation = "softmax";
  std::string name = "";  ///< of the model; default: "mobilenetv2_1.00_224", by alpha and height
  /// Or "channels_first", also in input_shape.
  std::string data_format = config::image_data_format();
};

/// Blocks that widen, convolve each channel and narrow again, with shortcuts between the narrow
/// ends (Sandler et al., 2018, https://arxiv.org/abs/1801.04381): images (batch, height, width,
/// channels), 32 or more each way -> (batch, classes), or without the top (batch, height / 32,
/// width / 32, 1280, more with alpha > 1). Throws ValueError for options out of range, ShapeError
/// for an input_shape that does not fit, UnsupportedError for the weights "imagenet", and FileError
/// for a file that does not fit.
Handle<Functional> MobileNetV2(MobileNetV2Options options = {});

/// keras.applications.mobilenet_v2.
namespace mobilenet_v2 {
using applications::MobileNetV2;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "tf".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
}  // namespace mobilenet_v2

}  // namespace cornu::applications
