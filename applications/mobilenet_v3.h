// MobileNetV3Small and MobileNetV3Large: searched networks for phones, as Keras names and builds
// them.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Options of MobileNetV3Small and MobileNetV3Large, in Keras's order.
struct MobileNetV3Options {
  /// (height, width, channels) of one image; default: any size, of 3 channels.
  OptionalList<Shape> input_shape = {};
  double alpha = 1.0;         ///< factor of the number of filters in each layer, positive
  bool minimalistic = false;  ///< 3x3 convolutions and relu alone, without squeeze and excitation
  bool include_top = true;    ///< end with the classifier
  /// {}: random, or the path of a file; see ApplicationOptions.
  OptionalText weights = "imagenet";
  Tensor input_tensor = {};   ///< a symbolic tensor to start from instead of an Input
  int64_t classes = 1000;     ///< number of classes, with the top
  OptionalText pooling = {};  ///< without the top: {} (all places), "avg" or "max"
  double dropout_rate = 0.2;  ///< fraction that is dropped before the classifier, in [0, 1]
  /// Of the classifier; {}: logits.
  cornu::Activation classifier_activation = "softmax";
  bool include_preprocessing = true;  ///< begin with the map from [0, 255] to [-1, 1]
  std::string name = "";              ///< of the model; default: the function's name
  /// Or "channels_first", also in input_shape.
  std::string data_format = config::image_data_format();
};

/// Inverted residuals with squeeze and excitation, found by a search (Howard et al., 2019,
/// https://arxiv.org/abs/1905.02244): images (batch, height, width, channels) of values in [0,
/// 255], 32 or more each way -> (batch, classes), or without the top (batch, height / 32, width /
/// 32, 576). Throws ValueError for options out of range, ShapeError for an input_shape that does
/// not fit, UnsupportedError for the weights "imagenet", and FileError for a file that does not
/// fit.
Handle<Functional> MobileNetV3Small(MobileNetV3Options options = {});
/// The same with more and wider blocks; without the top 960 channels.
Handle<Functional> MobileNetV3Large(MobileNetV3Options options = {});

/// keras.applications.mobilenet_v3.
namespace mobilenet_v3 {
using imagenet_utils::decode_predictions;
/// x: the network prepares images itself.
inline Tensor preprocess_input(const Tensor& x, const std::string& = "channels_last") { return x; }
}  // namespace mobilenet_v3

}  // namespace cornu::applications
