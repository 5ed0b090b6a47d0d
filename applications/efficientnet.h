// EfficientNetB0 to EfficientNetB7: one design in eight sizes, as Keras names and builds it.
#pragma once
#include "imagenet_utils.h"
#include "network.h"

namespace cornu::applications {

/// Inverted residuals with squeeze and excitation; depth, width and size of images grow together
/// (Tan and Le, 2019, https://arxiv.org/abs/1905.11946): images (batch, height, width, channels) of
/// values in [0, 255], 224 x 224 with the top, 32 or more each way -> (batch, classes), or without
/// the top (batch, height / 32, width / 32, 1280). The network begins with a Normalization, whose
/// mean and variance come with the weights. Throws ValueError for options that contradict each
/// other, ShapeError for an input_shape that does not fit, UnsupportedError for the weights
/// "imagenet", and FileError for a file that does not fit.
///
/// Keras's weights "imagenet" bring a layer with them, which divides each channel by a root;
/// weights from a file do not, here and there. To have it, save the whole model in Keras, and read
/// it by load_model.
Handle<Functional> EfficientNetB0(ApplicationOptions options = {});
/// The same, deeper, for 240 x 240.
Handle<Functional> EfficientNetB1(ApplicationOptions options = {});
/// The same, deeper and wider, for 260 x 260; without the top 1408 channels.
Handle<Functional> EfficientNetB2(ApplicationOptions options = {});
/// The same, deeper and wider, for 300 x 300; without the top 1536 channels.
Handle<Functional> EfficientNetB3(ApplicationOptions options = {});
/// The same, deeper and wider, for 380 x 380; without the top 1792 channels.
Handle<Functional> EfficientNetB4(ApplicationOptions options = {});
/// The same, deeper and wider, for 456 x 456; without the top 2048 channels.
Handle<Functional> EfficientNetB5(ApplicationOptions options = {});
/// The same, deeper and wider, for 528 x 528; without the top 2304 channels.
Handle<Functional> EfficientNetB6(ApplicationOptions options = {});
/// The same, deeper and wider, for 600 x 600; without the top 2560 channels.
Handle<Functional> EfficientNetB7(ApplicationOptions options = {});

/// keras.applications.efficientnet.
namespace efficientnet {
using applications::EfficientNetB0;
using applications::EfficientNetB1;
using applications::EfficientNetB2;
using applications::EfficientNetB3;
using applications::EfficientNetB4;
using applications::EfficientNetB5;
using applications::EfficientNetB6;
using applications::EfficientNetB7;
using imagenet_utils::decode_predictions;
/// x: the network prepares images itself.
inline Tensor preprocess_input(const Tensor& x, const std::string& = "channels_last") { return x; }
}  // namespace efficientnet

}  // namespace cornu::applications
