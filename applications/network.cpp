// Checks of options, input shapes, and the ends of networks.
#include "network.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "../backend/log.h"
#include "../layers/core/activation.h"
#include "../layers/pooling/global_average_pooling.h"
#include "../layers/pooling/global_max_pooling.h"

namespace cornu::applications::detail {
namespace {

void check_weights(const Architecture& network, const ApplicationOptions& options) {
  const char* function = network.function;
  if (options.weights == "imagenet")
    throw UnsupportedError(fmt::format(
        "{}: weights \"imagenet\" would have to be downloaded, which is not done here. Write them "
        "once with Keras in Python, keras.applications.{}(weights=\"imagenet\", include_top={})"
        ".save_weights(\"{}.weights.h5\"), and give .weights = \"{}.weights.h5\", or the .h5 file "
        "that Keras then keeps in ~/.keras/models. For random weights give .weights = {{}}.",
        function, function, options.include_top ? "True" : "False", function, function));
  if (options.weights && !std::filesystem::exists(*options.weights))
    throw ValueError(
        fmt::format("{}: weights must be {{}} (random) or the path of a file that "
                    "exists, found \"{}\".",
                    function, *options.weights));
  const std::string& activation = options.classifier_activation.name();
  if (options.weights && options.include_top && activation != "linear" && activation != "softmax")
    throw ValueError(
        fmt::format("{}: with weights from a file classifier_activation must be {{}} "
                    "or \"softmax\", found \"{}\".",
                    function, activation));
}

void check_choices(const Architecture& network, const ApplicationOptions& options) {
  if (options.pooling && *options.pooling != "avg" && *options.pooling != "max")
    throw ValueError(fmt::format("{}: pooling must be {{}}, \"avg\" or \"max\", found \"{}\".",
                                 network.function, *options.pooling));
  if (options.classes < 1)
    throw ValueError(
        fmt::format("{}: classes must be 1 or more, found {}.", network.function, options.classes));
  if (layers::channels_first(options.data_format) && !network.channels_first)
    throw ValueError(fmt::format(
        "{}: data_format must be \"channels_last\": Keras has no \"channels_first\" for "
        "this network.",
        network.function));
  if (options.input_tensor && !options.input_tensor.is_symbolic())
    throw ValueError(
        fmt::format("{}: input_tensor must come from Input({{...}}), found a tensor of shape {}.",
                    network.function, options.input_tensor.shape().str()));
}

void check_size(const Architecture& network, int64_t size, bool must_be_known, const Shape& shape) {
  if (size == Shape::unknown) {
    if (must_be_known)
      throw ShapeError(fmt::format("{}: {}the size of images must be known, found input_shape {}.",
                                   network.function, network.sized ? "" : "with include_top ",
                                   shape.str()));
  } else if (size < network.min_size) {
    throw ShapeError(fmt::format("{}: images must be at least {} x {}, found input_shape {}.",
                                 network.function, network.min_size, network.min_size,
                                 shape.str()));
  }
}

Shape image_shape(int64_t size, bool first) {
  return first ? Shape{3, size, size} : Shape{size, size, 3};
}

Shape settle_shape(const Architecture& network, const ApplicationOptions& options, bool first) {
  const bool sized = network.sized || (options.include_top && network.sized_top);
  if (!options.input_shape)
    return image_shape(sized ? network.default_size : Shape::unknown, first);
  const Shape& shape = *options.input_shape;
  if (shape.rank() != 3)
    throw ShapeError(fmt::format("{}: input_shape must be ({}), found {}.", network.function,
                                 first ? "channels, height, width" : "height, width, channels",
                                 shape.str()));
  for (const int axis : {0, 1}) check_size(network, shape[axis + first], sized, shape);
  const int64_t channels = shape[first ? 0 : 2];
  if (channels != 1 && channels != 3)
    warn_once(fmt::format("{}: images usually have 1 or 3 channels, found {} in input_shape {}.",
                          network.function, channels, shape.str()));
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

}  // namespace

Network::Network(const Architecture& architecture, const ApplicationOptions& options)
    : options_(options), channels_first_(layers::channels_first(options.data_format)) {
  check_weights(architecture, options);
  check_choices(architecture, options);
  shape_ = settle_shape(architecture, options, channels_first_);
  input_ = options.input_tensor ? options.input_tensor : Tensor(Input(shape_));
  // The file's values fill all weights, or loading fails and the model is dropped.
  if (options.weights) loading_.emplace(std::numeric_limits<uint64_t>::max());
}

void Network::expect_one_size() const {
  if (!options_.input_tensor || !options_.input_shape) return;
  const Tensor& x = options_.input_tensor;
  for (const int axis : {0, 1, 2})
    if (x.rank() != 4 || x.shape()[axis + 1] != shape_[axis])
      throw ShapeError(fmt::format(
          "input_shape {} and the shape {} of input_tensor must agree; give one of them.",
          shape_.str(), x.shape().str()));
}

std::string Network::rows() const {
  const int64_t rows = shape_[channels_first_ ? 1 : 0];
  return rows == Shape::unknown ? "None" : std::to_string(rows);
}

Tensor Network::activate(const Tensor& x, const cornu::Activation& activation,
                         const std::string& name) const {
  return add<layers::Activation>(x, {.activation = activation, .name = name});
}

int64_t Network::channels(const Tensor& x) const { return x.shape()[channels_first_ ? 1 : 3]; }
int64_t Network::height(const Tensor& x) const { return x.shape()[channels_first_ ? 2 : 1]; }
int64_t Network::width(const Tensor& x) const { return x.shape()[channels_first_ ? 3 : 2]; }

Shape Network::pixel_shape(int64_t channels) const {
  return channels_first_ ? Shape{channels, 1, 1} : Shape{1, 1, channels};
}

layers::Margins<2> Network::correct_pad(const Tensor& x, int64_t kernel) const {
  const bool known = height(x) != Shape::unknown;
  const auto ends = [&](int64_t size) {
    const int64_t adjust = known ? 1 - size % 2 : 1;
    return layers::Ends(kernel / 2 - adjust, kernel / 2);
  };
  return {ends(height(x)), ends(width(x))};
}

Tensor Network::classify(const Tensor& x, layers::DenseConfig config) const {
  config.units = options_.classes;
  config.activation = options_.classifier_activation;
  if (config.name.empty()) config.name = "predictions";
  return add<layers::Dense>(x, std::move(config));
}

Tensor Network::pool(const Tensor& x, const char* average, const char* maximum) const {
  if (options_.pooling == "avg") return add<layers::GlobalAveragePooling2D>(x, {.name = average});
  if (options_.pooling == "max") return add<layers::GlobalMaxPooling2D>(x, {.name = maximum});
  return x;
}

Tensor Network::finish_top(const Tensor& x, const PoolingNames& names) const {
  if (!options_.include_top) return pool(x, names.average, names.maximum);
  return classify(add<layers::GlobalAveragePooling2D>(x, {.name = names.classifier}));
}

std::string Network::name(const std::string& standard) const {
  return options_.name.empty() ? standard : options_.name;
}

Handle<Functional> Network::finish(const Tensor& x, const std::string& standard_name) {
  auto model = make<Functional>(options_.input_tensor ? sources_of(input_) : Nest(input_), x,
                                Functional::Options{name(standard_name)});
  loading_.reset();
  if (options_.weights) model->load_weights(*options_.weights);
  return model;
}

int64_t make_divisible(double v, int64_t divisor) {
  const auto half = static_cast<double>(divisor) / 2;
  const int64_t rounded = std::max(divisor, static_cast<int64_t>(v + half) / divisor * divisor);
  return static_cast<double>(rounded) < 0.9 * v ? rounded + divisor : rounded;
}

}  // namespace cornu::applications::detail
