// Input layers and their symbolic tensors.
#include "input.h"

namespace cornu {

InputLayer::InputLayer(InputConfig config)
    : dtype_(config.dtype.value_or(cornu::config::default_dtype())) {
  if (config.batch_shape) {
    batch_shape_ = *config.batch_shape;
  } else {
    batch_shape_.push_back(config.batch_size.value_or(Shape::unknown));
    for (int64_t size : config.shape) batch_shape_.push_back(size);
  }
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
          {"optional", false}};
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
  } else if (key == "sparse" || key == "ragged" || key == "optional") {
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

Input Input::of(std::shared_ptr<InputLayer> layer) {
  Tensor output = layer->output();
  return {std::move(layer), std::move(output)};
}

Input::Input(InputConfig config) : Input(of(std::make_shared<InputLayer>(std::move(config)))) {}

void register_input(Catalog& catalog) { catalog.add<InputLayer>("keras.layers.InputLayer"); }

}  // namespace cornu
