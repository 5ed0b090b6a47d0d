// MobileNet: depthwise separable convolutions for small devices, as Keras names and builds it.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Options of MobileNet, in Keras's order.
struct MobileNetOptions {
  /// (height, width, channels) of one image; default: (224, 224, 3) with the top, else any.
  OptionalList<Shape> input_shape = {};
  double alpha = 1.0;            ///< factor of the number of filters in each layer, positive
  int64_t depth_multiplier = 1;  ///< channels of a depthwise convolution for each of its input
  double dropout = 1e-3;         ///< fraction that is dropped before the classifier, in [0, 1]
  bool include_top = true;       ///< end with the classifier
  /// {}: random, or the path of a file; see ApplicationOptions.
  OptionalText weights = "imagenet";
  Tensor input_tensor = {};   ///< a symbolic tensor to start from instead of an Input
  OptionalText pooling = {};  ///< without the top: {} (all places), "avg" or "max"
  int64_t classes = 1000;     ///< number of classes, with the top
  /// Of the classifier; {}: logits.
  cornu::Activation classifier_activation = "softmax";
  std::string name = "";  ///< of the model; default: "mobilenet_1.00_224", by alpha and height
  /// Or "channels_first", also in input_shape.
  std::string data_format = config::image_data_format();
};

/// Depthwise and 1x1 convolutions in turn (Howard et al., 2017, https://arxiv.org/abs/1704.04861):
/// images (batch, height, width, channels), 32 or more each way -> (batch, classes), or without the
/// top (batch, height / 32, width / 32, 1024 * alpha). Throws ValueError for options out of range,
/// ShapeError for an input_shape that does not fit, UnsupportedError for the weights "imagenet",
/// and FileError for a file that does not fit.
Handle<Functional> MobileNet(MobileNetOptions options = {});

/// keras.applications.mobilenet.
namespace mobilenet {
using applications::MobileNet;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "tf".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
}  // namespace mobilenet

}  // namespace cornu::applications
