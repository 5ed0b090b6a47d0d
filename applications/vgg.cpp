// Five stages of convolutions, each of which ends with a pooling that halves the image.
#include "vgg.h"

#include <fmt/core.h>

#include "../layers/convolutional/conv.h"
#include "../layers/pooling/max_pooling.h"
#include "../layers/reshaping/flatten.h"

namespace cornu::applications {
namespace {

constexpr int64_t vgg_filters[] = {64, 128, 256, 512, 512};

struct VggArchitecture {
  detail::Architecture network;
  const char* name;
  int convolutions[5];  // of each stage
};

Handle<Functional> make_vgg(const VggArchitecture& vgg, const ApplicationOptions& options) {
  detail::Network net(vgg.network, options);
  Tensor x = net.input();
  for (int stage = 0; stage < 5; ++stage) {
    for (int i = 1; i <= vgg.convolutions[stage]; ++i)
      x = net.add<layers::Conv2D>(x, {.filters = vgg_filters[stage],
                                      .kernel_size = 3,
                                      .padding = "same",
                                      .activation = "relu",
                                      .name = fmt::format("block{}_conv{}", stage + 1, i)});
    x = net.add<layers::MaxPooling2D>(
        x, {.pool_size = 2, .strides = 2, .name = fmt::format("block{}_pool", stage + 1)});
  }
  if (options.include_top) {
    x = net.add<layers::Flatten>(x, {.name = "flatten"});
    for (const char* name : {"fc1", "fc2"})
      x = net.add<layers::Dense>(x, {.units = 4096, .activation = "relu", .name = name});
    x = net.classify(x);
  } else {
    x = net.pool(x, "", "");
  }
  return net.finish(x, vgg.name);
}

}  // namespace

Handle<Functional> VGG16(ApplicationOptions options) {
  return make_vgg({{.function = "VGG16"}, "vgg16", {2, 2, 3, 3, 3}}, options);
}

Handle<Functional> VGG19(ApplicationOptions options) {
  return make_vgg({{.function = "VGG19"}, "vgg19", {2, 2, 4, 4, 4}}, options);
}

}  // namespace cornu::applications
