// Four dense blocks with transitions between them, which halve images and channels.
#include "densenet.h"

#include <fmt/core.h>

#include "../layers/convolutional/conv.h"
#include "../layers/merging/concatenate.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/pooling/average_pooling.h"
#include "../layers/pooling/max_pooling.h"
#include "../layers/reshaping/zero_padding.h"

namespace cornu::applications {
namespace {

using detail::Network;

struct DenseNetArchitecture {
  const char* function;
  const char* name;
  int layers[4];  // of the dense blocks
};

constexpr int64_t growth = 32;  // channels that a layer adds

// Normalization and relu; their names are `prefix`, "bn" or "relu", behind it.
Tensor rectify_densenet(const Network& net, Tensor x, const std::string& prefix) {
  x = net.add<layers::BatchNormalization>(x,
                                          {.axis = 3, .epsilon = 1.001e-5, .name = prefix + "bn"});
  return net.activate(x, "relu", prefix + "relu");
}

Tensor dense_layer(const Network& net, const Tensor& input, const std::string& name) {
  Tensor x = rectify_densenet(net, input, name + "_0_");
  x = net.add<layers::Conv2D>(
      x, {.filters = 4 * growth, .kernel_size = 1, .use_bias = false, .name = name + "_1_conv"});
  x = rectify_densenet(net, x, name + "_1_");
  x = net.add<layers::Conv2D>(x, {.filters = growth,
                                  .kernel_size = 3,
                                  .padding = "same",
                                  .use_bias = false,
                                  .name = name + "_2_conv"});
  return net.add<layers::Concatenate>({input, x}, {.axis = 3, .name = name + "_concat"});
}

Tensor transition(const Network& net, Tensor x, const std::string& name) {
  x = rectify_densenet(net, x, name + "_");
  x = net.add<layers::Conv2D>(x, {.filters = net.channels(x) / 2,
                                  .kernel_size = 1,
                                  .use_bias = false,
                                  .name = name + "_conv"});
  return net.add<layers::AveragePooling2D>(x,
                                           {.pool_size = 2, .strides = 2, .name = name + "_pool"});
}

Handle<Functional> make_densenet(const DenseNetArchitecture& densenet,
                                 const ApplicationOptions& options) {
  Network net({.function = densenet.function, .channels_first = false}, options);
  Tensor x = net.add<layers::ZeroPadding2D>(net.input(), {.padding = 3});
  x = net.add<layers::Conv2D>(
      x, {.filters = 64, .kernel_size = 7, .strides = 2, .use_bias = false, .name = "conv1_conv"});
  x = rectify_densenet(net, x, "conv1_");
  x = net.add<layers::ZeroPadding2D>(x, {.padding = 1});
  x = net.add<layers::MaxPooling2D>(x, {.pool_size = 3, .strides = 2, .name = "pool1"});
  for (int block = 0; block < 4; ++block) {
    if (block > 0) x = transition(net, x, fmt::format("pool{}", block + 1));
    for (int i = 1; i <= densenet.layers[block]; ++i)
      x = dense_layer(net, x, fmt::format("conv{}_block{}", block + 2, i));
  }
  x = rectify_densenet(net, x, "");
  x = net.finish_top(x, {"avg_pool", "avg_pool", "max_pool"});
  return net.finish(x, densenet.name);
}

}  // namespace

Handle<Functional> DenseNet121(ApplicationOptions options) {
  return make_densenet({"DenseNet121", "densenet121", {6, 12, 24, 16}}, options);
}

Handle<Functional> DenseNet169(ApplicationOptions options) {
  return make_densenet({"DenseNet169", "densenet169", {6, 12, 32, 32}}, options);
}

Handle<Functional> DenseNet201(ApplicationOptions options) {
  return make_densenet({"DenseNet201", "densenet201", {6, 12, 48, 32}}, options);
}

}  // namespace cornu::applications
