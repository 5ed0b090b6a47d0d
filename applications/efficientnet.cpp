// Seven stages of inverted residual blocks, whose numbers and widths are scaled.
#include "efficientnet.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../layers/convolutional/conv.h"
#include "../layers/convolutional/depthwise_conv.h"
#include "../layers/image/rescaling.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/reshaping/zero_padding.h"
#include "../layers/tabular/normalization.h"
#include "efficientnet_blocks.h"

namespace cornu::applications {
namespace {

using detail::Network;

struct EfficientNetArchitecture {
  const char* function;
  const char* name;
  int64_t size;
  double width, depth, dropout;
};

// Blocks of the same filters; the first takes filters_in and has the stride.
struct EfficientNetStage {
  int64_t kernel, blocks, filters_in, filters_out, expansion, stride;
};

constexpr EfficientNetStage efficientnet_stages[] = {
    {3, 1, 32, 16, 1, 1},  {3, 2, 16, 24, 6, 2},   {5, 2, 24, 40, 6, 2},  {3, 3, 40, 80, 6, 2},
    {5, 3, 80, 112, 6, 1}, {5, 4, 112, 192, 6, 2}, {3, 1, 192, 320, 6, 1}};
constexpr double drop_connect_rate = 0.2;  // of the last block; it grows from 0

struct EfficientNetBlock {
  std::string name;  // what its layers' names begin with
  int64_t kernel, filters_in, filters_out, expansion, stride;
  double drop_rate;
};

Tensor normalize_efficientnet(const Network& net, const Tensor& x, const std::string& name) {
  return net.add<layers::BatchNormalization>(x, {.axis = 3, .name = name});
}

Tensor rectify_efficientnet(const Network& net, const Tensor& x, const std::string& name) {
  return net.activate(normalize_efficientnet(net, x, name + "bn"), "swish", name + "activation");
}

Tensor efficientnet_depthwise(const Network& net, Tensor x, const EfficientNetBlock& block) {
  if (block.stride == 2)
    x = net.add<layers::ZeroPadding2D>(
        x, {.padding = net.correct_pad(x, block.kernel), .name = block.name + "dwconv_pad"});
  x = net.add<layers::DepthwiseConv2D>(x, {.kernel_size = block.kernel,
                                           .strides = block.stride,
                                           .padding = block.stride == 2 ? "valid" : "same",
                                           .use_bias = false,
                                           .depthwise_initializer = detail::efficientnet_kernel(),
                                           .name = block.name + "dwconv"});
  return rectify_efficientnet(net, x, block.name);
}

Tensor efficientnet_block(const Network& net, const Tensor& input, const EfficientNetBlock& block) {
  const std::string& name = block.name;
  Tensor x = input;
  if (block.expansion != 1) {
    x = pointwise(net, x, block.filters_in * block.expansion, name + "expand_conv");
    x = rectify_efficientnet(net, x, name + "expand_");
  }
  x = efficientnet_depthwise(net, x, block);
  x = squeeze_excite(net, x, std::max<int64_t>(1, block.filters_in / 4), name);
  x = pointwise(net, x, block.filters_out, name + "project_conv");
  x = normalize_efficientnet(net, x, name + "project_bn");
  if (block.stride != 1 || block.filters_in != block.filters_out) return x;
  return drop_and_add(net, x, input, block.drop_rate, name);
}

int64_t repeats(int64_t blocks, double depth) {
  return static_cast<int64_t>(std::ceil(depth * static_cast<double>(blocks)));
}

Tensor efficientnet_body(const Network& net, Tensor x, double width, double depth) {
  const auto wide = [&](int64_t filters) {
    return detail::make_divisible(static_cast<double>(filters) * width);
  };
  int64_t number = 0, all = 0;
  for (const auto& stage : efficientnet_stages) all += repeats(stage.blocks, depth);
  char digit = '1';
  for (const auto& stage : efficientnet_stages) {
    for (int64_t i = 0; i < repeats(stage.blocks, depth); ++i, ++number) {
      const bool first = i == 0;
      x = efficientnet_block(
          net, x,
          {fmt::format("block{}{}_", digit, static_cast<char>('a' + i)), stage.kernel,
           wide(first ? stage.filters_in : stage.filters_out), wide(stage.filters_out),
           stage.expansion, first ? stage.stride : 1,
           drop_connect_rate * static_cast<double>(number) / static_cast<double>(all)});
    }
    ++digit;
  }
  x = pointwise(net, x, wide(1280), "top_conv");
  return rectify_efficientnet(net, x, "top_");
}

Handle<Functional> make_efficientnet(const EfficientNetArchitecture& architecture,
                                     const ApplicationOptions& options) {
  Network net({.function = architecture.function, .default_size = architecture.size}, options);
  Tensor x = net.add<layers::Rescaling>(net.input(), {.scale = 1.0 / 255.0});
  x = net.add<layers::Normalization>(x, {.axis = 3});
  x = net.add<layers::ZeroPadding2D>(x,
                                     {.padding = net.correct_pad(x, 3), .name = "stem_conv_pad"});
  x = net.add<layers::Conv2D>(x, {.filters = detail::make_divisible(32 * architecture.width),
                                  .kernel_size = 3,
                                  .strides = 2,
                                  .use_bias = false,
                                  .kernel_initializer = detail::efficientnet_kernel(),
                                  .name = "stem_conv"});
  x = rectify_efficientnet(net, x, "stem_");
  x = efficientnet_body(net, x, architecture.width, architecture.depth);
  x = efficientnet_top(net, x, options, architecture.dropout, "zeros");
  return net.finish(x, architecture.name);
}

}  // namespace

Handle<Functional> EfficientNetB0(ApplicationOptions options) {
  return make_efficientnet({"EfficientNetB0", "efficientnetb0", 224, 1.0, 1.0, 0.2}, options);
}

Handle<Functional> EfficientNetB1(ApplicationOptions options) {
  return make_efficientnet({"EfficientNetB1", "efficientnetb1", 240, 1.0, 1.1, 0.2}, options);
}

Handle<Functional> EfficientNetB2(ApplicationOptions options) {
  return make_efficientnet({"EfficientNetB2", "efficientnetb2", 260, 1.1, 1.2, 0.3}, options);
}

Handle<Functional> EfficientNetB3(ApplicationOptions options) {
  return make_efficientnet({"EfficientNetB3", "efficientnetb3", 300, 1.2, 1.4, 0.3}, options);
}

Handle<Functional> EfficientNetB4(ApplicationOptions options) {
  return make_efficientnet({"EfficientNetB4", "efficientnetb4", 380, 1.4, 1.8, 0.4}, options);
}

Handle<Functional> EfficientNetB5(ApplicationOptions options) {
  return make_efficientnet({"EfficientNetB5", "efficientnetb5", 456, 1.6, 2.2, 0.4}, options);
}

Handle<Functional> EfficientNetB6(ApplicationOptions options) {
  return make_efficientnet({"EfficientNetB6", "efficientnetb6", 528, 1.8, 2.6, 0.5}, options);
}

Handle<Functional> EfficientNetB7(ApplicationOptions options) {
  return make_efficientnet({"EfficientNetB7", "efficientnetb7", 600, 2.0, 3.1, 0.5}, options);
}

}  // namespace cornu::applications
