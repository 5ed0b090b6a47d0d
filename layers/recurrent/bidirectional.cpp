// A recurrent layer from both ends.
#include "bidirectional.h"

#include <fmt/core.h>

#include "../../framework/base/class_of.h"
#include "../../framework/config/copy_scope.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

RecurrentBase& as_recurrent(Layer& layer) {
  if (auto* recurrent = dynamic_cast<RecurrentBase*>(&layer)) return *recurrent;
  throw ValueError(
      fmt::format("expected a recurrent layer (LSTM, GRU, SimpleRNN, RNN or ConvLSTM), found the "
                  "layer '{}' ({}). A cell of your own goes into RNN.",
                  layer.name(), class_of(layer)));
}

void set(Value::Dict& dict, const std::string& key, Value value) {
  for (auto& [k, v] : dict)
    if (k == key) {
      v = std::move(value);
      return;
    }
  dict.emplace_back(key, std::move(value));
}

// Its class and options. Who makes no file does not expect an error about saving.
Value::Dict description_of(const AnyLayer& layer) {
  try {
    return detail::OptionCodec<AnyLayer>::encode(layer).get<Value::Dict>();
  } catch (const StateError& e) {
    throw StateError(
        fmt::format("Bidirectional makes its two layers from the config of '{}' ({}), so that all "
                    "classes in it must be registered, also where nothing is saved: {}",
                    layer->name(), class_of(*layer.shared()), e.what()));
  }
}

// A copy without the weights' values, named for its direction once.
std::shared_ptr<Layer> copy_for(const AnyLayer& layer, const std::string& direction) {
  as_recurrent(*layer.shared());
  const cornu::detail::CopyScope scope;
  Value::Dict entry = description_of(layer);
  Value::Dict config = detail::find(entry, "config")->get<Value::Dict>();
  const std::string& name = layer->name();
  set(config, "name", name.starts_with(direction) ? name : direction + name);
  if (direction == "backward_") set(config, "go_backwards", true);
  set(entry, "config", std::move(config));
  return detail::OptionCodec<AnyLayer>::decode(entry).shared();
}

void check_options(const SequenceOptions& forward, const SequenceOptions& backward) {
  if (forward.go_backwards == backward.go_backwards)
    throw ValueError(
        fmt::format("option 'go_backwards' must differ between layer and backward_layer, found {} "
                    "in both.",
                    forward.go_backwards));
  auto check = [](const char* option, bool a, bool b) {
    if (a != b)
      throw ValueError(
          fmt::format("option '{}' must be the same in layer and backward_layer, found {} and {}.",
                      option, a, b));
  };
  check("stateful", forward.stateful, backward.stateful);
  check("return_sequences", forward.return_sequences, backward.return_sequences);
  check("return_state", forward.return_state, backward.return_state);
}

}  // namespace

BidirectionalLayer::BidirectionalLayer(BidirectionalConfig c) : LayerOf(std::move(c)) {
  const std::vector<std::string> modes = {"concat", "sum", "mul", "ave"};
  if (config.merge_mode && std::find(modes.begin(), modes.end(), *config.merge_mode) == modes.end())
    throw ValueError(
        fmt::format("option 'merge_mode' is '{}'.{} Known are 'concat', 'sum', 'mul', "
                    "'ave' and null.",
                    *config.merge_mode, did_you_mean(*config.merge_mode, modes)));
  supports_masking_ = true;
  const auto forward = copy_for(*config.layer, "forward_");
  const auto backward = config.backward_layer ? config.backward_layer->shared()
                                              : copy_for(*config.layer, "backward_");
  options_ = as_recurrent(*forward).sequence_options();
  check_options(options_, as_recurrent(*backward).sequence_options());
  for (const auto& layer : {forward, backward})
    as_recurrent(*layer).set_zero_output_for_mask(options_.return_sequences);
  forward_layer = track("forward_layer", forward);
  backward_layer = track("backward_layer", backward);
  config.layer = AnyLayer(forward_layer);
  config.backward_layer = AnyLayer(backward_layer);
}

void BidirectionalLayer::bind(Nest& inputs, Call& call, CallForm form) const {
  if (form == CallForm::graph) inputs = name_initial_state(inputs, call);
}

std::optional<std::vector<std::string>> BidirectionalLayer::argument_names() const {
  return std::vector<std::string>{"initial_state"};
}

void BidirectionalLayer::build_many(const Nest& inputs) {
  const Tensor x = inputs.flatten().at(0);
  forward_layer->ensure_built(x);
  backward_layer->ensure_built(x);
}

Tensor BidirectionalLayer::merge(const Tensor& forward, const Tensor& backward) const {
  const std::string& mode = *config.merge_mode;
  if (mode == "concat") return ops::concatenate({forward, backward}, -1);
  if (mode == "sum") return forward + backward;
  if (mode == "mul") return forward * backward;
  return (forward + backward) / Tensor(2.0);
}

Nest BidirectionalLayer::call_many(const Nest& inputs, const Call& call) {
  std::vector<Tensor> states = inputs.flatten();
  const Tensor x = states.at(0);
  states.erase(states.begin());
  if (const Value* given = call.find("initial_state"))
    if (!given->is_null()) states = given->nest().flatten();
  if (states.size() % 2 != 0)
    throw ShapeError(
        fmt::format("expected as many forward as backward states in initial_state, "
                    "found {} tensors.",
                    states.size()));
  const auto half = states.begin() + static_cast<std::ptrdiff_t>(states.size() / 2);
  auto run = [&](Layer& layer, std::vector<Tensor> first) {
    Call inner{.training = call.training, .mask = call.mask};
    if (!first.empty()) inner.extra = {{"initial_state", Value(Nest(first))}};
    const Nest result = layer(Nest(x), inner);
    return result.is_list() ? result.list() : Nest::List{result};
  };
  const Nest::List forward = run(*forward_layer, {states.begin(), half});
  const Nest::List backward = run(*backward_layer, {half, states.end()});

  Tensor y = ops::cast(forward[0], compute_dtype());
  Tensor y_back = ops::cast(backward[0], compute_dtype());
  if (options_.return_sequences) y_back = ops::flip(y_back, 1);
  Nest::List all;
  if (config.merge_mode) {
    all.push_back(merge(y, y_back));
  } else {
    const Tensor mask = call.mask ? call.mask : x.mask();
    if (mask && options_.return_sequences) {
      y.set_mask(mask);
      y_back.set_mask(mask);
    }
    all = {y, y_back};
  }
  if (!options_.return_state && config.merge_mode) return all[0];
  all.insert(all.end(), forward.begin() + 1, forward.end());
  all.insert(all.end(), backward.begin() + 1, backward.end());
  return all;
}

Tensor BidirectionalLayer::compute_mask(const Nest&, const Tensor& mask) {
  return options_.return_sequences ? mask : Tensor();
}

Value::Dict BidirectionalLayer::get_build_config() const {
  return sequence_build_config(LayerOf::get_build_config());
}

void BidirectionalLayer::build_from_config(const Value::Dict& dict) {
  LayerOf::build_from_config(sequence_build_config(dict));
}

Value::Dict BidirectionalLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  if (!activity_regularizer())
    std::erase_if(dict, [](const auto& entry) { return entry.first == "activity_regularizer"; });
  return dict;
}

std::shared_ptr<BidirectionalLayer> BidirectionalLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(without_unused(dict, {"weights"}));
}

std::vector<Variable> BidirectionalLayer::states() const {
  std::vector<Variable> all = as_recurrent(*forward_layer).states();
  const std::vector<Variable>& backward = as_recurrent(*backward_layer).states();
  all.insert(all.end(), backward.begin(), backward.end());
  return all;
}

void BidirectionalLayer::reset_state() {
  as_recurrent(*forward_layer).reset_state();
  as_recurrent(*backward_layer).reset_state();
}

void register_bidirectional(Catalog& c) { c.add<BidirectionalLayer>("keras.layers.Bidirectional"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::BidirectionalLayer,
                              cornu::layers::BidirectionalConfig>;
