// Residual networks: stacks of bottleneck blocks on a convolution and a pooling.
#include "resnet.h"

#include <fmt/core.h>

#include "../layers/convolutional/conv.h"
#include "../layers/merging/add.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/pooling/max_pooling.h"
#include "../layers/reshaping/zero_padding.h"

namespace cornu::applications {
namespace {

using detail::Network;

struct ResNetArchitecture {
  detail::Architecture network;
  const char* name;
  bool preactivated;  // version 2
  int64_t blocks[4];  // of the stacks conv2 to conv5
};

struct ResNetBlock {
  std::string name;
  int64_t filters, stride;
  bool project;  // a convolution in the shortcut brings it to the block's channels
};

Tensor normalize_resnet(const Network& net, const Tensor& x, const std::string& name) {
  return net.add<layers::BatchNormalization>(x, {.axis = 3, .epsilon = 1.001e-5, .name = name});
}

// Normalization and relu, named as the convolution before them.
Tensor rectify_resnet(const Network& net, const Tensor& x, const std::string& name) {
  return net.activate(normalize_resnet(net, x, name + "_bn"), "relu", name + "_relu");
}

// relu(shortcut + three convolutions), the middle one 3x3.
Tensor block_v1(const Network& net, const Tensor& input, const ResNetBlock& block) {
  const auto& [name, filters, stride, project] = block;
  Tensor shortcut = input;
  if (project) {
    shortcut = net.add<layers::Conv2D>(
        input,
        {.filters = 4 * filters, .kernel_size = 1, .strides = stride, .name = name + "_0_conv"});
    shortcut = normalize_resnet(net, shortcut, name + "_0_bn");
  }
  Tensor x = net.add<layers::Conv2D>(
      input, {.filters = filters, .kernel_size = 1, .strides = stride, .name = name + "_1_conv"});
  x = rectify_resnet(net, x, name + "_1");
  x = net.add<layers::Conv2D>(
      x, {.filters = filters, .kernel_size = 3, .padding = "same", .name = name + "_2_conv"});
  x = rectify_resnet(net, x, name + "_2");
  x = net.add<layers::Conv2D>(x,
                              {.filters = 4 * filters, .kernel_size = 1, .name = name + "_3_conv"});
  x = normalize_resnet(net, x, name + "_3_bn");
  x = net.add<layers::Add>({shortcut, x}, {.name = name + "_add"});
  return net.activate(x, "relu", name + "_out");
}

Tensor shortcut_v2(const Network& net, const Tensor& input, const Tensor& rectified,
                   const ResNetBlock& block) {
  if (block.project)
    return net.add<layers::Conv2D>(rectified, {.filters = 4 * block.filters,
                                               .kernel_size = 1,
                                               .strides = block.stride,
                                               .name = block.name + "_0_conv"});
  if (block.stride == 1) return input;
  return net.add<layers::MaxPooling2D>(input, {.pool_size = 1, .strides = block.stride});
}

// shortcut + three convolutions of what is normalized and rectified first.
Tensor block_v2(const Network& net, const Tensor& input, const ResNetBlock& block) {
  const std::string& name = block.name;
  Tensor x = rectify_resnet(net, input, name + "_preact");
  const Tensor shortcut = shortcut_v2(net, input, x, block);
  x = net.add<layers::Conv2D>(
      x, {.filters = block.filters, .kernel_size = 1, .use_bias = false, .name = name + "_1_conv"});
  x = rectify_resnet(net, x, name + "_1");
  x = net.add<layers::ZeroPadding2D>(x, {.padding = 1, .name = name + "_2_pad"});
  x = net.add<layers::Conv2D>(x, {.filters = block.filters,
                                  .kernel_size = 3,
                                  .strides = block.stride,
                                  .use_bias = false,
                                  .name = name + "_2_conv"});
  x = rectify_resnet(net, x, name + "_2");
  x = net.add<layers::Conv2D>(
      x, {.filters = 4 * block.filters, .kernel_size = 1, .name = name + "_3_conv"});
  return net.add<layers::Add>({shortcut, x}, {.name = name + "_out"});
}

// Version 1 halves the image in the first block of conv3 to conv5, version 2 in the last of conv2
// to conv4.
Tensor resnet_stacks(const Network& net, Tensor x, const ResNetArchitecture& resnet) {
  for (int stack = 0; stack < 4; ++stack)
    for (int64_t i = 0; i < resnet.blocks[stack]; ++i) {
      const bool halve =
          resnet.preactivated ? stack < 3 && i == resnet.blocks[stack] - 1 : stack > 0 && i == 0;
      const ResNetBlock block{fmt::format("conv{}_block{}", stack + 2, i + 1), int64_t{64} << stack,
                              halve ? 2 : 1, i == 0};
      x = resnet.preactivated ? block_v2(net, x, block) : block_v1(net, x, block);
    }
  return x;
}

Handle<Functional> make_resnet(const ResNetArchitecture& resnet, const ResNetOptions& options) {
  Network net(resnet.network, options);
  Tensor x = net.add<layers::ZeroPadding2D>(net.input(), {.padding = 3, .name = "conv1_pad"});
  x = net.add<layers::Conv2D>(
      x, {.filters = 64, .kernel_size = 7, .strides = 2, .name = "conv1_conv"});
  if (!resnet.preactivated) x = rectify_resnet(net, x, "conv1");
  x = net.add<layers::ZeroPadding2D>(x, {.padding = 1, .name = "pool1_pad"});
  x = net.add<layers::MaxPooling2D>(x, {.pool_size = 3, .strides = 2, .name = "pool1_pool"});
  x = resnet_stacks(net, x, resnet);
  if (resnet.preactivated) x = rectify_resnet(net, x, "post");
  x = net.finish_top(x, {"avg_pool", "avg_pool", "max_pool"});
  return net.finish(x, resnet.name);
}

}  // namespace

Handle<Functional> ResNet50(ResNetOptions options) {
  return make_resnet({{.function = "ResNet50"}, "resnet50", false, {3, 4, 6, 3}}, options);
}

Handle<Functional> ResNet101(ResNetOptions options) {
  return make_resnet({{.function = "ResNet101"}, "resnet101", false, {3, 4, 23, 3}}, options);
}

Handle<Functional> ResNet152(ResNetOptions options) {
  return make_resnet({{.function = "ResNet152"}, "resnet152", false, {3, 8, 36, 3}}, options);
}

Handle<Functional> ResNet50V2(ResNetOptions options) {
  return make_resnet({{.function = "ResNet50V2"}, "resnet50v2", true, {3, 4, 6, 3}}, options);
}

Handle<Functional> ResNet101V2(ResNetOptions options) {
  return make_resnet({{.function = "ResNet101V2"}, "resnet101v2", true, {3, 4, 23, 3}}, options);
}

Handle<Functional> ResNet152V2(ResNetOptions options) {
  return make_resnet({{.function = "ResNet152V2"}, "resnet152v2", true, {3, 8, 36, 3}}, options);
}

}  // namespace cornu::applications
