// EfficientNetV2B0 to EfficientNetV2L: EfficientNets that train faster, as Keras names and builds
// them.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Options of EfficientNetV2, in Keras's order.
struct EfficientNetV2Options {
  bool include_top = true;  ///< end with the classifier
  /// {}: random, or the path of a file; see ApplicationOptions.
  OptionalText weights = "imagenet";
  Tensor input_tensor = {};  ///< a symbolic tensor to start from instead of an Input
  /// (height, width, channels) of one image; default: the network's size with the top, else any.
  OptionalList<Shape> input_shape = {};
  OptionalText pooling = {};  ///< without the top: {} (all places), "avg" or "max"
  int64_t classes = 1000;     ///< number of classes, with the top
  /// Of the classifier; {}: logits.
  cornu::Activation classifier_activation = "softmax";
  bool include_preprocessing = true;  ///< begin with the map from [0, 255] to what it was made for
  std::string name = "";              ///< of the model; default: "efficientnetv2-b0", ...
  /// Or "channels_first", also in input_shape.
  std::string data_format = config::image_data_format();
};

/// EfficientNets whose first stages convolve all channels at once (Tan and Le, 2021,
/// https://arxiv.org/abs/2104.00298): images (batch, height, width, channels) of values in [0,
/// 255], 224 x 224 with the top, 32 or more each way -> (batch, classes), or without the top
/// (batch, height / 32, width / 32, 1280). Throws ValueError for options that contradict each
/// other, ShapeError for an input_shape that does not fit, UnsupportedError for the weights
/// "imagenet", and FileError for a file that does not fit.
Handle<Functional> EfficientNetV2B0(EfficientNetV2Options options = {});
/// The same, deeper, for 240 x 240.
Handle<Functional> EfficientNetV2B1(EfficientNetV2Options options = {});
/// The same, deeper and wider, for 260 x 260; without the top 1408 channels.
Handle<Functional> EfficientNetV2B2(EfficientNetV2Options options = {});
/// The same, deeper and wider, for 300 x 300; without the top 1536 channels.
Handle<Functional> EfficientNetV2B3(EfficientNetV2Options options = {});
/// A network of its own, for 384 x 384.
Handle<Functional> EfficientNetV2S(EfficientNetV2Options options = {});
/// A larger one, for 480 x 480.
Handle<Functional> EfficientNetV2M(EfficientNetV2Options options = {});
/// The largest, for 480 x 480.
Handle<Functional> EfficientNetV2L(EfficientNetV2Options options = {});

/// keras.applications.efficientnet_v2.
namespace efficientnet_v2 {
using applications::EfficientNetV2B0;
using applications::EfficientNetV2B1;
using applications::EfficientNetV2B2;
using applications::EfficientNetV2B3;
using applications::EfficientNetV2L;
using applications::EfficientNetV2M;
using applications::EfficientNetV2S;
using imagenet_utils::decode_predictions;
/// x: the network prepares images itself.
inline Tensor preprocess_input(const Tensor& x, const std::string& = "channels_last") { return x; }
}  // namespace efficientnet_v2

}  // namespace cornu::applications
