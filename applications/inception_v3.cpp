// Eleven blocks of branches, named mixed0 to mixed10.
#include "inception_v3.h"

#include <fmt/core.h>

#include "inception_blocks.h"

namespace cornu::applications {
namespace {

using detail::InceptionBlock;
using detail::Network;

// 35 x 35 places.
InceptionBlock fine_block(const char* name, int64_t pooled) {
  return {
      name, {{{64, 1, 1}}, {{48, 1, 1}, {64, 5, 5}}, {{64, 1, 1}, {96, 3, 3}, {96, 3, 3}}}, pooled};
}

// 17 x 17 places, with n channels inside.
InceptionBlock middle_block(const char* name, int64_t n) {
  return {name,
          {{{192, 1, 1}},
           {{n, 1, 1}, {n, 1, 7}, {192, 7, 1}},
           {{n, 1, 1}, {n, 7, 1}, {n, 1, 7}, {n, 7, 1}, {192, 1, 7}}},
          192};
}

std::vector<InceptionBlock> inception_v3_blocks() {
  return {fine_block("mixed0", 32),
          fine_block("mixed1", 64),
          fine_block("mixed2", 64),
          {"mixed3", {{{384, 3, 3, 2, "valid"}}, {{64, 1, 1}, {96, 3, 3}, {96, 3, 3, 2, "valid"}}}},
          middle_block("mixed4", 128),
          middle_block("mixed5", 160),
          middle_block("mixed6", 160),
          middle_block("mixed7", 192),
          {"mixed8",
           {{{192, 1, 1}, {320, 3, 3, 2, "valid"}},
            {{192, 1, 1}, {192, 1, 7}, {192, 7, 1}, {192, 3, 3, 2, "valid"}}}}};
}

// x through a 1x3 and a 3x1 convolution side by side.
Tensor spread(const Network& net, const Tensor& x, const std::string& name) {
  const Tensor row = inception_conv(net, x, {384, 1, 3});
  const Tensor column = inception_conv(net, x, {384, 3, 1});
  return join(net, {row, column}, name);
}

// 8 x 8 places: branches that end in two.
Tensor coarse_block(const Network& net, const Tensor& x, int number) {
  const Tensor small = inception_conv(net, x, {320, 1, 1});
  Tensor medium = inception_conv(net, x, {384, 1, 1});
  medium = spread(net, medium, fmt::format("mixed9_{}", number));
  Tensor large = inception_branch(net, x, {{448, 1, 1}, {384, 3, 3}});
  large = spread(net, large, "");
  const Tensor mean = average_branch(net, x, 192);
  return join(net, {small, medium, large, mean}, fmt::format("mixed{}", 9 + number));
}

}  // namespace

Handle<Functional> InceptionV3(ApplicationOptions options) {
  Network net({.function = "InceptionV3", .default_size = 299, .min_size = 75}, options);
  Tensor x = inception_stem(net);
  for (const InceptionBlock& block : inception_v3_blocks()) x = inception_block(net, x, block);
  for (const int number : {0, 1}) x = coarse_block(net, x, number);
  x = net.finish_top(x, {"avg_pool", "", ""});
  return net.finish(x, "inception_v3");
}

}  // namespace cornu::applications
