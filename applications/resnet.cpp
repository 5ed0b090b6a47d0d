// Residual networks: stacks of bottleneck blocks on a convolution and a pooling.
#include "resnet.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "../layers/convolutional/conv.h"
#include "../layers/core/activation.h"
#include "../layers/core/dense.h"
#include "../layers/merging/add.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/pooling/global_average_pooling.h"
#include "../layers/pooling/global_max_pooling.h"
#include "../layers/pooling/max_pooling.h"
#include "../layers/reshaping/zero_padding.h"

namespace cornu::applications {
namespace {

constexpr int64_t min_size = 32;  // halved five times, an image has one place left
constexpr int64_t default_size = 224;

struct Architecture {
  const char* function;
  const char* name;
  int64_t blocks[4];  // of the stacks conv2 to conv5
};

Tensor normalize(const Tensor& x, const std::string& name) {
  return layers::BatchNormalization({.axis = 3, .epsilon = 1.001e-5, .name = name})(x);
}

Tensor rectify(const Tensor& x, const std::string& name) {
  return layers::Activation({.activation = "relu", .name = name})(x);
}

// relu(shortcut + three convolutions), the middle one 3x3. The first block of a stack has a
// convolution in its shortcut, which brings it to the new size and number of channels.
Tensor block(const Tensor& input, int64_t filters, int64_t stride, bool project,
             const std::string& name) {
  Tensor shortcut = input;
  if (project)
    shortcut = normalize(layers::Conv2D({.filters = 4 * filters,
                                         .kernel_size = 1,
                                         .strides = stride,
                                         .name = name + "_0_conv"})(input),
                         name + "_0_bn");
  Tensor x = layers::Conv2D(
      {.filters = filters, .kernel_size = 1, .strides = stride, .name = name + "_1_conv"})(input);
  x = rectify(normalize(x, name + "_1_bn"), name + "_1_relu");
  x = layers::Conv2D(
      {.filters = filters, .kernel_size = 3, .padding = "same", .name = name + "_2_conv"})(x);
  x = rectify(normalize(x, name + "_2_bn"), name + "_2_relu");
  x = layers::Conv2D({.filters = 4 * filters, .kernel_size = 1, .name = name + "_3_conv"})(x);
  x = normalize(x, name + "_3_bn");
  x = layers::Add({.name = name + "_add"})(Nest{shortcut, x}).tensor();
  return rectify(x, name + "_out");
}

void check(const ResNetOptions& options, const char* function) {
  if (options.weights == "imagenet")
    throw UnsupportedError(fmt::format(
        "{}: weights \"imagenet\" would have to be downloaded, which is not done here. Write them "
        "once with Keras in Python, keras.applications.{}(weights=\"imagenet\", include_top={})"
        ".save_weights(\"{}.weights.h5\"), and give .weights = \"{}.weights.h5\". For random "
        "weights give .weights = {{}}.",
        function, function, options.include_top ? "True" : "False", function, function));
  if (options.weights && !std::filesystem::exists(*options.weights))
    throw ValueError(
        fmt::format("{}: weights must be {{}} (random) or the path of a file that "
                    "exists, found \"{}\".",
                    function, *options.weights));
  if (options.pooling && *options.pooling != "avg" && *options.pooling != "max")
    throw ValueError(fmt::format("{}: pooling must be {{}}, \"avg\" or \"max\", found \"{}\".",
                                 function, *options.pooling));
  if (options.classes < 1)
    throw ValueError(
        fmt::format("{}: classes must be 1 or more, found {}.", function, options.classes));
  const std::string& activation = options.classifier_activation.name();
  if (options.weights && options.include_top && activation != "linear" && activation != "softmax")
    throw ValueError(
        fmt::format("{}: with weights from a file classifier_activation must be {{}} "
                    "or \"softmax\", found \"{}\".",
                    function, activation));
}

Shape input_shape(const ResNetOptions& options, const char* function) {
  if (!options.input_shape)
    return options.include_top ? Shape{default_size, default_size, 3}
                               : Shape{Shape::unknown, Shape::unknown, 3};
  const Shape& shape = *options.input_shape;
  if (shape.rank() != 3)
    throw ShapeError(fmt::format("{}: input_shape must be (height, width, channels), found {}.",
                                 function, shape.str()));
  for (int axis = 0; axis < 2; ++axis) {
    if (shape[axis] == Shape::unknown) {
      if (options.include_top)
        throw ShapeError(
            fmt::format("{}: with include_top the size of images must be known, found "
                        "input_shape {}.",
                        function, shape.str()));
    } else if (shape[axis] < min_size) {
      throw ShapeError(fmt::format("{}: images must be at least {} x {}, found input_shape {}.",
                                   function, min_size, min_size, shape.str()));
    }
  }
  return shape;
}

// The Inputs that a symbolic tensor was computed from, as one tensor or a list.
Nest sources_of(const Tensor& tensor) {
  std::vector<Tensor> open{tensor};
  std::vector<Nest> found;
  std::set<const Node*> seen;
  while (!open.empty()) {
    const Tensor t = open.back();
    open.pop_back();
    if (!t.is_symbolic() || !seen.insert(t.origin().node.get()).second) continue;
    if (dynamic_cast<InputLayer*>(t.origin().node->operation.get())) found.push_back(t);
    for (const Tensor& argument : t.origin().node->arguments.tensors()) open.push_back(argument);
  }
  return found.size() == 1 ? found[0] : Nest(std::move(found));
}

std::shared_ptr<Functional> make_resnet(const Architecture& architecture,
                                        const ResNetOptions& options) {
  check(options, architecture.function);
  const Tensor& given = options.input_tensor;
  if (given && !given.is_symbolic())
    throw ValueError(
        fmt::format("{}: input_tensor must come from Input({{...}}), found a tensor "
                    "of shape {}.",
                    architecture.function, given.shape().str()));
  const Tensor input = given ? given : Tensor(Input(input_shape(options, architecture.function)));

  Tensor x = layers::ZeroPadding2D({.padding = 3, .name = "conv1_pad"})(input);
  x = layers::Conv2D({.filters = 64, .kernel_size = 7, .strides = 2, .name = "conv1_conv"})(x);
  x = rectify(normalize(x, "conv1_bn"), "conv1_relu");
  x = layers::ZeroPadding2D({.padding = 1, .name = "pool1_pad"})(x);
  x = layers::MaxPooling2D({.pool_size = 3, .strides = 2, .name = "pool1_pool"})(x);
  for (int stack = 0; stack < 4; ++stack)
    for (int64_t i = 0; i < architecture.blocks[stack]; ++i)
      x = block(x, int64_t{64} << stack, stack > 0 && i == 0 ? 2 : 1, i == 0,
                fmt::format("conv{}_block{}", stack + 2, i + 1));

  if (options.include_top || options.pooling == "avg")
    x = layers::GlobalAveragePooling2D({.name = "avg_pool"})(x);
  else if (options.pooling == "max")
    x = layers::GlobalMaxPooling2D({.name = "max_pool"})(x);
  if (options.include_top)
    x = layers::Dense({.units = options.classes,
                       .activation = options.classifier_activation,
                       .name = "predictions"})(x);

  const std::string name = options.name.empty() ? architecture.name : options.name;
  auto model =
      make<Functional>(given ? sources_of(given) : Nest(input), x, Functional::Options{name});
  if (options.weights) model->load_weights(*options.weights);
  return model;
}

}  // namespace

std::shared_ptr<Functional> ResNet50(ResNetOptions options) {
  return make_resnet({"ResNet50", "resnet50", {3, 4, 6, 3}}, options);
}

std::shared_ptr<Functional> ResNet101(ResNetOptions options) {
  return make_resnet({"ResNet101", "resnet101", {3, 4, 23, 3}}, options);
}

std::shared_ptr<Functional> ResNet152(ResNetOptions options) {
  return make_resnet({"ResNet152", "resnet152", {3, 8, 36, 3}}, options);
}

}  // namespace cornu::applications
