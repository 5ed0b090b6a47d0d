// Fourteen blocks of separable convolutions, most with a shortcut.
#include "xception.h"

#include <fmt/core.h>

#include "../layers/convolutional/conv.h"
#include "../layers/convolutional/separable_conv.h"
#include "../layers/merging/add.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/pooling/max_pooling.h"

namespace cornu::applications {
namespace {

using detail::Network;

// Two separable convolutions and a pooling, with a convolution in the shortcut.
struct HalvingBlock {
  const char* name;
  int64_t filters[2];
  bool rectified;  // relu before the first convolution
};

constexpr HalvingBlock entry_blocks[] = {
    {"block2", {128, 128}, false}, {"block3", {256, 256}, true}, {"block4", {728, 728}, true}};
constexpr HalvingBlock exit_block = {"block13", {728, 1024}, true};
constexpr int64_t middle_filters = 728;

Tensor convolve_xception(const Network& net, Tensor x, int64_t filters, int64_t stride,
                         const std::string& name) {
  x = net.add<layers::Conv2D>(
      x,
      {.filters = filters, .kernel_size = 3, .strides = stride, .use_bias = false, .name = name});
  x = net.add<layers::BatchNormalization>(x, {.name = name + "_bn"});
  return net.activate(x, "relu", name + "_act");
}

Tensor separable(const Network& net, Tensor x, int64_t filters, const std::string& name) {
  x = net.add<layers::SeparableConv2D>(
      x,
      {.filters = filters, .kernel_size = 3, .padding = "same", .use_bias = false, .name = name});
  return net.add<layers::BatchNormalization>(x, {.name = name + "_bn"});
}

Tensor rectified_separable(const Network& net, const Tensor& x, int64_t filters,
                           const std::string& name) {
  return separable(net, net.activate(x, "relu", name + "_act"), filters, name);
}

Tensor halving_block(const Network& net, const Tensor& input, const HalvingBlock& block) {
  const std::string name = block.name;
  Tensor residual = net.add<layers::Conv2D>(input, {.filters = block.filters[1],
                                                    .kernel_size = 1,
                                                    .strides = 2,
                                                    .padding = "same",
                                                    .use_bias = false});
  residual = net.add<layers::BatchNormalization>(residual, {});
  Tensor x = input;
  if (block.rectified) x = net.activate(x, "relu", name + "_sepconv1_act");
  x = separable(net, x, block.filters[0], name + "_sepconv1");
  x = rectified_separable(net, x, block.filters[1], name + "_sepconv2");
  x = net.add<layers::MaxPooling2D>(
      x, {.pool_size = 3, .strides = 2, .padding = "same", .name = name + "_pool"});
  return net.add<layers::Add>({x, residual}, {});
}

Tensor xception_middle(const Network& net, const Tensor& input, int number) {
  Tensor x = input;
  for (int i = 1; i <= 3; ++i)
    x = rectified_separable(net, x, middle_filters, fmt::format("block{}_sepconv{}", number, i));
  return net.add<layers::Add>({x, input}, {});
}

}  // namespace

Handle<Functional> Xception(ApplicationOptions options) {
  Network net({.function = "Xception", .default_size = 299, .min_size = 71}, options);
  Tensor x = convolve_xception(net, net.input(), 32, 2, "block1_conv1");
  x = convolve_xception(net, x, 64, 1, "block1_conv2");
  for (const HalvingBlock& block : entry_blocks) x = halving_block(net, x, block);
  for (int number = 5; number <= 12; ++number) x = xception_middle(net, x, number);
  x = halving_block(net, x, exit_block);
  x = separable(net, x, 1536, "block14_sepconv1");
  x = net.activate(x, "relu", "block14_sepconv1_act");
  x = separable(net, x, 2048, "block14_sepconv2");
  x = net.activate(x, "relu", "block14_sepconv2_act");
  x = net.finish_top(x, {"avg_pool", "", ""});
  return net.finish(x, "xception");
}

}  // namespace cornu::applications
