// NASNetMobile and NASNetLarge: networks of searched cells, as Keras names and builds them.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Options of NASNetMobile and NASNetLarge, in Keras's order.
struct NASNetOptions {
  /// (height, width, channels) of one image, of known size; default: the network's size. (Keras
  /// builds NASNetLarge without the top for any size, and then fails on images.)
  OptionalList<Shape> input_shape = {};
  bool include_top = true;  ///< end with the classifier
  /// {}: random, or the path of a file; see ApplicationOptions.
  OptionalText weights = "imagenet";
  Tensor input_tensor = {};   ///< a symbolic tensor to start from instead of an Input
  OptionalText pooling = {};  ///< without the top: {} (all places), "avg" or "max"
  int64_t classes = 1000;     ///< number of classes, with the top
  /// Of the classifier; {}: logits.
  cornu::Activation classifier_activation = "softmax";
  std::string name = "";  ///< of the model; default: "nasnet_mobile", "nasnet_large"
  std::string data_format = "channels_last";  ///< the only one that Keras has for these networks
};

/// Cells that a search has found, each of which takes the results of the two before it (Zoph et
/// al., 2017, https://arxiv.org/abs/1707.07012): images (batch, height, width, channels), 224 x 224
/// with the top, 32 or more each way -> (batch, classes), or without the top (batch, height / 32,
/// width / 32, 1056). Channels come last. Throws ValueError for options that contradict each other,
/// ShapeError for an input_shape that does not fit, UnsupportedError for the weights "imagenet",
/// and FileError for a file that does not fit.
Handle<Functional> NASNetMobile(NASNetOptions options = {});
/// The same, deeper and wider, for 331 x 331; without the top 4032 channels.
Handle<Functional> NASNetLarge(NASNetOptions options = {});

/// keras.applications.nasnet.
namespace nasnet {
using applications::NASNetLarge;
using applications::NASNetMobile;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "tf".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
}  // namespace nasnet

}  // namespace cornu::applications
