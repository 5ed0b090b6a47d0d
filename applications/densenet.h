// DenseNet121 to DenseNet201: each layer sees the results of all before it, as Keras names and
// builds them.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Blocks in which every layer adds 32 channels to all that came before (Huang et al., 2016,
/// https://arxiv.org/abs/1608.06993): images (batch, height, width, channels), 224 x 224 with the
/// top, 32 or more each way -> (batch, classes), or without the top (batch, height / 32, width /
/// 32, 1024). Channels come last. Throws ValueError for options that contradict each other,
/// ShapeError for an input_shape that does not fit, UnsupportedError for the weights "imagenet",
/// and FileError for a file that does not fit.
Handle<Functional> DenseNet121(ApplicationOptions options = {});
/// The same with 169 layers; without the top 1664 channels.
Handle<Functional> DenseNet169(ApplicationOptions options = {});
/// The same with 201 layers; without the top 1920 channels.
Handle<Functional> DenseNet201(ApplicationOptions options = {});

/// keras.applications.densenet.
namespace densenet {
using applications::DenseNet121;
using applications::DenseNet169;
using applications::DenseNet201;
using imagenet_utils::decode_predictions;
/// imagenet_utils::preprocess_input in mode "torch".
inline Tensor preprocess_input(const Tensor& x,
                               const std::string& data_format = config::image_data_format()) {
  return imagenet_utils::preprocess_input(x, data_format, "torch");
}
}  // namespace densenet

}  // namespace cornu::applications
