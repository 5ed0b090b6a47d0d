// Input layers and their symbolic tensors.
#include "input.h"

#include <fmt/core.h>

namespace cornu {

namespace {

void check_dense(const std::optional<bool>& asked, const char* option) {
  if (asked.value_or(false))
    throw UnsupportedError(fmt::format(
        "Input: option '{}': tensors are dense. Leave the option out and give dense data.",
        option));
}

// The shape of a batch by the options for it.
Shape given_shape(const InputConfig& config) {
  if (!config.batch_shape) {
    Shape shape{config.batch_size.value_or(Shape::unknown)};
    for (int64_t size : config.shape) shape.push_back(size);
    return shape;
  }
  if (config.shape.rank() > 0) throw ValueError("Input: give 'shape' or 'batch_shape', not both.");
  if (config.batch_size)
    throw ValueError(
        "Input: give 'batch_size' or 'batch_shape', whose first size it is, not both.");
  return *config.batch_shape;
}

[[noreturn]] void differs(const char* option, const std::string& given, const std::string& found) {
  throw ValueError(fmt::format(
      "Input: option '{}' is {}, but the tensor in option 'tensor' has {}. Leave '{}' out.", option,
      given, found, option));
}

// The options beside `tensor` must be its own.
void check_tensor(const InputConfig& config) {
  const Tensor& t = config.tensor;
  if (!t.is_symbolic())
    throw ValueError(
        "Input: option 'tensor' must be symbolic: an Input({...}), or what a layer made of one.");
  if (!config.name.empty() || config.optional)
    throw UnsupportedError(
        "Input: beside 'tensor' there can be no 'name' and no 'optional', which belong to the "
        "Input "
        "that the tensor came from.");
  if (config.batch_size && (t.rank() == 0 || t.shape()[0] != *config.batch_size))
    differs("batch_size", std::to_string(*config.batch_size), "shape " + t.shape().str());
  if (config.shape.rank() > 0 && (t.rank() == 0 || config.shape != t.shape().slice(1)))
    differs("shape", config.shape.str(), "shape " + t.shape().str());
  if (config.batch_shape && *config.batch_shape != t.shape())
    differs("batch_shape", config.batch_shape->str(), "shape " + t.shape().str());
  if (config.dtype && *config.dtype != t.dtype())
    differs("dtype", std::string(dtype_name(*config.dtype)),
            "dtype " + std::string(dtype_name(t.dtype())));
}

}  // namespace

InputLayer::InputLayer(InputConfig config) : optional_(config.optional) {
  check_dense(config.sparse, "sparse");
  check_dense(config.ragged, "ragged");
  if (config.tensor) check_tensor(config);
  batch_shape_ = config.tensor ? config.tensor.shape() : given_shape(config);
  dtype_ =
      config.tensor ? config.tensor.dtype() : config.dtype.value_or(cornu::config::default_dtype());
  autocast_ = false;
  supports_masking_ = true;
  set_base(config.name, true, {});
}

Value::Dict InputLayer::get_config() const {
  return {{"batch_shape", batch_shape_},
          {"dtype", dtype_},
          {"sparse", false},
          {"ragged", false},
          {"name", name()},
          {"optional", optional_}};
}

std::shared_ptr<Layer> InputLayer::shared_layer() {
  if (!weak_from_this().expired()) return Layer::shared_layer();
  if (!shared_) shared_ = from_config(get_config());
  return shared_;
}

namespace {

// Takes over one option; false when there is none of this name.
bool set_option(InputConfig& config, const std::string& key, const Value& value) {
  if (key == "batch_shape" || key == "batch_input_shape") {
    config.batch_shape = detail::from_value<Shape>(value);
  } else if (key == "shape") {
    config.shape = detail::from_value<Shape>(value);
  } else if (key == "batch_size") {
    config.batch_size = detail::from_value<std::optional<int64_t>>(value);
  } else if (key == "dtype") {
    if (value.is<Value::Dict>())
      config.dtype = detail::OptionCodec<DTypePolicy>::decode(value).compute_dtype();
    else
      config.dtype = detail::from_value<OptionalDType>(value);
  } else if (key == "name") {
    if (!value.is_null()) config.name = detail::from_value<std::string>(value);
  } else if (key == "optional") {
    config.optional = !value.is_null() && detail::from_value<bool>(value);
  } else if (key == "sparse" || key == "ragged") {
    if (!value.is_null() && detail::from_value<bool>(value))
      throw UnsupportedError("InputLayer: the option '" + key + "' is not supported.");
  } else {
    return key == "trainable";
  }
  return true;
}

}  // namespace

std::shared_ptr<InputLayer> InputLayer::from_config(const Value::Dict& dict) {
  InputConfig config;
  for (const auto& [key, value] : dict) {
    bool known = false;
    try {
      known = set_option(config, key, value);
    } catch (const ValueError&) {
      detail::rethrow_for_option(key);
    }
    if (!known)
      detail::unknown_key(key, {"batch_shape", "dtype", "sparse", "ragged", "name", "optional"});
  }
  return std::make_shared<InputLayer>(std::move(config));
}

Nest InputLayer::output() const {
  std::shared_ptr<Node> node = node_.lock();
  if (!node) {
    const auto self = std::const_pointer_cast<Operation>(shared_from_this());
    const Nest out = make_node(self, {}, Tensor::abstract(batch_shape_, dtype_));
    node_ = out.tensor().origin().node;
    return out;
  }
  return Tensor::symbolic(batch_shape_, dtype_, {node, 0});
}

Shape Input::shape_of(std::span<const Shape::Size> sizes) {
  Shape shape;
  for (const Shape::Size size : sizes) shape.push_back(size.value);
  return shape;
}

Input Input::of(InputConfig config) {
  const Tensor given = config.tensor;
  auto layer = std::make_shared<InputLayer>(std::move(config));
  Tensor output = given ? given : layer->output().tensor();
  return {std::move(layer), std::move(output)};
}

Input::Input(InputConfig config) : Input(of(std::move(config))) {}

void register_input(Catalog& catalog) { catalog.add<InputLayer>("keras.layers.InputLayer"); }

}  // namespace cornu
