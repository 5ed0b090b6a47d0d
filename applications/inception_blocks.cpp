// Branches, and what joins them.
#include "inception_blocks.h"

#include "../layers/convolutional/conv.h"
#include "../layers/merging/concatenate.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/pooling/average_pooling.h"
#include "../layers/pooling/max_pooling.h"

namespace cornu::applications::detail {
namespace {

Tensor maximum_of_three(const Network& net, const Tensor& x) {
  return net.add<layers::MaxPooling2D>(x, {.pool_size = 3, .strides = 2});
}

std::string suffixed(const std::string& name, const char* suffix) {
  return name.empty() ? "" : name + suffix;
}

}  // namespace

Tensor inception_conv(const Network& net, Tensor x, const InceptionConv& conv,
                      const std::string& name) {
  x = net.add<layers::Conv2D>(x, {.filters = conv.filters,
                                  .kernel_size = {conv.rows, conv.columns},
                                  .strides = conv.stride,
                                  .padding = conv.padding,
                                  .use_bias = false,
                                  .name = name});
  x = net.add<layers::BatchNormalization>(
      x, {.axis = 3, .scale = false, .name = suffixed(name, "_bn")});
  return net.activate(x, "relu", suffixed(name, "_ac"));
}

Tensor inception_branch(const Network& net, Tensor x, const InceptionBranch& branch) {
  for (const InceptionConv& conv : branch) x = inception_conv(net, x, conv);
  return x;
}

Tensor join(const Network& net, const std::vector<Tensor>& branches, const std::string& name) {
  return net.add<layers::Concatenate>(std::vector<Nest>(branches.begin(), branches.end()),
                                      {.axis = 3, .name = name});
}

Tensor average_branch(const Network& net, const Tensor& x, int64_t filters) {
  const Tensor mean =
      net.add<layers::AveragePooling2D>(x, {.pool_size = 3, .strides = 1, .padding = "same"});
  return inception_conv(net, mean, {filters, 1, 1});
}

Tensor inception_block(const Network& net, const Tensor& x, const InceptionBlock& block) {
  std::vector<Tensor> branches;
  for (const InceptionBranch& branch : block.branches)
    branches.push_back(inception_branch(net, x, branch));
  branches.push_back(block.average_filters ? average_branch(net, x, *block.average_filters)
                                           : maximum_of_three(net, x));
  return join(net, branches, block.name);
}

Tensor inception_stem(const Network& net) {
  Tensor x = inception_branch(net, net.input(),
                              {{32, 3, 3, 2, "valid"}, {32, 3, 3, 1, "valid"}, {64, 3, 3}});
  x = maximum_of_three(net, x);
  x = inception_branch(net, x, {{80, 1, 1, 1, "valid"}, {192, 3, 3, 1, "valid"}});
  return maximum_of_three(net, x);
}

}  // namespace cornu::applications::detail
