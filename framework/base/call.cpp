// Calling layers: casting, building on first use, masks, graphs, and errors that say which layer.
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "../../backend/log.h"
#include "../dispatch/stateless_scope.h"
#include "../ops/convert.h"
#include "../ops/core/cast.h"
#include "../ops/operators.h"
#include "call_scope.h"
#include "class_of.h"
#include "located.h"
#include "no_call.h"
#include "remat_scope.h"

namespace cornu {

CallContext& call_context() {
  // One per thread: calls on several threads do not see each other's training flag or losses.
  thread_local CallContext context;
  return context;
}

Tensor detail::first_of(const Nest& nest) {
  if (nest.is_tensor()) return nest.tensor();
  const std::vector<Tensor> all = nest.flatten();
  return all.empty() ? Tensor() : all[0];
}

void set_place(Error& error, const Layer& layer) {
  if (error.placed()) return;
  const std::string path = layer.path(), text = error.what();
  // Some say themselves who they are, since they are thrown outside of calls too.
  for (const std::string& name : {path, layer.name()})
    for (const char* kind : {"Layer", "Model"})
      if (const std::string own = fmt::format("{} '{}': ", kind, name); text.starts_with(own)) {
        error.replace(text.substr(own.size()));
        error.set_place(fmt::format("{} '{}' ({})", kind, path, class_of(layer)));
        return;
      }
  error.set_place(fmt::format("Layer '{}' ({})", path, class_of(layer)));
}

void warn_place(const Layer& layer) {
  if (std::exchange(call_context().warned, true)) return;
  std::string text;
  try {
    throw;
  } catch (const std::exception& error) {
    text = std::string(": ") + error.what();
  } catch (...) {
  }
  warn_once(
      fmt::format("Layer '{}' ({}) threw an exception{}", layer.path(), class_of(layer), text));
}

// --- what subclasses may override
// ------------------------------------------------------------------

Tensor Layer::call(const Tensor&, const Call&) { throw NoCall(*this); }

Nest Layer::call_many(const Nest& inputs, const Call& call) {
  if (!inputs.is_tensor())
    throw ShapeError("takes a single tensor, found the structure " + inputs.structure() + ".");
  Tensor y = this->call(inputs.tensor(), call);
  if (!y) throw StateError("call returned no tensor.");
  return y;
}

void Layer::bind(Nest&, Call&, CallForm) const {}

std::optional<std::vector<std::string>> Layer::argument_names() const {
  const ClassInfo* info = catalog().find_class(*this);
  // Keras's own layers name all their arguments; a user's layer may read whatever is in call.extra.
  if (info && info->registered_name.empty()) return std::vector<std::string>{};
  return {};
}

std::vector<std::string> Layer::positional_arguments() const {
  const ClassInfo* info = catalog().find_class(*this);
  if (info && info->registered_name.empty()) return {"training", "mask"};
  return {};
}

Tensor Layer::compute_mask(const Nest&, const Tensor& mask) {
  return supports_masking_ ? mask : Tensor();
}

std::vector<Tensor> Layer::compute_masks(const Nest& inputs, const std::vector<Tensor>& masks) {
  const auto first =
      std::find_if(masks.begin(), masks.end(), [](const Tensor& m) { return bool(m); });
  const Tensor given = first == masks.end() ? Tensor() : *first;
  std::vector<Tensor> result = {compute_mask(inputs, given)};
  if (given && result[0] && result[0].impl() == given.impl() && masks.size() > 1)
    result.insert(result.end(), masks.begin() + 1, masks.end());
  return result;
}

bool Layer::takes_carried_mask(const Nest&, const Call&) const { return true; }

// --- the steps of a call
// ---------------------------------------------------------------------------

namespace {

Tensor first_mask(const Nest& inputs) {
  if (inputs.is_tensor()) return inputs.tensor() ? inputs.tensor().mask() : Tensor();
  for (const Tensor& t : inputs.flatten())
    if (t && t.mask()) return t.mask();
  return {};
}

// Inputs with these masks, in their order; an empty one means none, whatever an input carries.
Nest with_masks(const Nest& inputs, const std::vector<Tensor>& masks) {
  std::vector<Tensor> tensors = inputs.flatten();
  if (masks.size() > tensors.size())
    throw ValueError(
        fmt::format("{} masks were given for {} inputs.", masks.size(), tensors.size()));
  for (size_t i = 0; i < masks.size(); ++i)
    if (tensors[i]) tensors[i].set_mask(masks[i]);
  return inputs.pack(tensors);
}

// What a graph keeps of them.
Value::List list_of(const std::vector<Tensor>& masks) {
  Value::List list;
  for (const Tensor& mask : masks) list.push_back(mask ? Value(mask) : Value());
  return list;
}

// The nest with another first tensor.
Nest with_first(const Nest& nest, const Tensor& first) {
  if (nest.is_tensor()) return first;
  std::vector<Tensor> tensors = nest.flatten();
  tensors.at(0) = first;
  return nest.pack(tensors);
}

// Whether a tensor of the call is symbolic, those given by name included.
bool is_symbolic_call(const Nest& inputs, const Call& call) {
  if (inputs.is_tensor() ? inputs.tensor().is_symbolic() : any_symbolic(inputs.flatten()))
    return true;
  if (call.extra.empty()) return false;
  std::vector<Tensor> named;
  for (const auto& [name, value] : call.extra) value.collect(named);
  return any_symbolic(named);
}

// Keras divides by the batch so that the penalty does not grow with it.
Tensor activity_penalty(Regularizer& regularizer, const Tensor& output) {
  const double batch =
      output.rank() > 0 ? static_cast<double>(std::max<int64_t>(output.shape()[0], 1)) : 1;
  return regularizer(output) / Tensor(batch);
}

}  // namespace

Nest Layer::run(Nest in, Call call, const CallContext& context) {
  return located(*this, [&]() -> Nest {
    // The order matters: layers are built for inputs of the dtype that they compute in, and masks
    // are looked for after binding has put named tensors in their places.
    if (!call.masks.empty()) in = with_masks(in, call.masks);
    bind(in, call, CallForm::tensors);
    if (in.empty()) throw ValueError("called without an input.");
    if (!input_spec_.empty()) check_input_spec(input_spec_, in);
    if (!built_) note_path();
    cast_inputs(in);
    build_for(in);
    // CallScope has merged the call's own flag with that of the surrounding layers.
    call.training = context.training;
    const Tensor mask = bind_mask(in, call);
    LayerObserver* const observer = context.observer;
    if (observer) observer->before(*this, in);
    const bool again = remat_mode_ && rematerializes(in, call);
    const Nest out =
        finish(in, mask, again ? compute_again_for_gradient(in, call) : compute(in, call));
    if (observer) observer->after(*this, out);
    return out;
  });
}

Nest Layer::compute(const Nest& inputs, const Call& call) {
  std::optional<AutocastScope> autocast;
  // Only mixed precision pays for the scope.
  if (compute_dtype() != variable_dtype()) autocast.emplace(compute_dtype());
  return call_many(inputs, call);
}

bool Layer::rematerializes(const Nest& inputs, const Call& call) {
  // The gradient of a whole step begins when the call ends: it would be computed again at once.
  if (call_context().whole == this && call_context().stack.size() == 1) return false;
  if (!detail::may_rematerialize(*remat_mode_, *this, inputs, call)) return false;
  if (remat_mode_->mode != "larger_than") return true;
  int64_t elements = 0;
  try {
    // This very call, on tensors without values.
    const Nest outputs =
        infer_outputs({{Value(specs_of(inputs, true))}, {}},
                      [&](const Arguments& a) { return compute(a.positional[0].nest(), call); });
    for (const Tensor& t : outputs.flatten())
      if (t) elements += t.shape().numel();
  } catch (const NeedsValues&) {
    return false;
  }
  return elements > remat_mode_->output_size_threshold;
}

Nest Layer::compute_again_for_gradient(const Nest& inputs, const Call& call) {
  return detail::run_rematerialized(*this, inputs,
                                    [this, call](const Nest& in) { return compute(in, call); });
}

Tensor Layer::cast_input(const Tensor& x) const {
  if (!autocast_ || !x || !is_float(x.dtype()) || x.dtype() == compute_dtype()) return x;
  const Tensor y = ops::cast(x, compute_dtype());
  // A cast is a new tensor, and masks belong to tensors.
  return x.mask() ? y.with_mask(x.mask()) : y;
}

void Layer::cast_inputs(Nest& inputs) const {
  if (!autocast_) return;
  const auto fits = [&](const Tensor& t) {
    return !t || !is_float(t.dtype()) || t.dtype() == compute_dtype();
  };
  // The common case copies no nest.
  if (inputs.is_tensor()) {
    if (!fits(inputs.tensor())) inputs = cast_input(inputs.tensor());
    return;
  }
  inputs = inputs.map([&](const Tensor& t) { return cast_input(t); });
}

void Layer::build_for(const Nest& inputs) {
  // Read without the lock: built_ is atomic, and set only once the weights are there.
  if (!built_ || shapes_pending_) ensure_built(inputs);
}

// The mask that goes through the layer. The call has it only if the layer is to read it.
Tensor Layer::bind_mask(const Nest& inputs, Call& call) {
  const bool given = static_cast<bool>(call.mask);
  const Tensor mask = given ? cast_input(call.mask) : first_mask(inputs);
  call.mask = given || (mask && takes_carried_mask(inputs, call)) ? mask : Tensor();
  return mask;
}

void Layer::check_mask(const Tensor& mask) {
  if (!mask || supports_masking_ || uses_mask() || warned_mask_.exchange(true)) return;
  warn_once(fmt::format(
      "Layer '{}' does not support masking: the mask of its input ends here. Override compute_mask "
      "to hand it on, or take it off before with set_mask({{}}).",
      path()));
}

// The masks of all outputs where there are several inputs or outputs.
std::vector<Tensor> Layer::output_masks(const Nest& inputs, const Tensor& mask) {
  std::vector<Tensor> masks;
  for (const Tensor& t : inputs.flatten()) masks.push_back(t ? t.mask() : Tensor());
  // A mask by name stands before the one that the first input carries.
  if (mask && std::none_of(masks.begin(), masks.end(),
                           [&](const Tensor& m) { return m && m.impl() == mask.impl(); }))
    masks.at(0) = mask;
  return compute_masks(inputs, masks);
}

// Gives outputs that have none the masks at their places.
Nest Layer::finish(const Nest& inputs, const Tensor& mask, Nest outputs) {
  if (!inputs.is_tensor() || !outputs.is_tensor()) {
    std::vector<Tensor> all = outputs.flatten();
    const std::vector<Tensor> given = inputs.flatten();
    bool missing = false;
    for (Tensor& t : all) {
      const bool returned = t && std::any_of(given.begin(), given.end(), [&](const Tensor& in) {
                              return in && in.impl() == t.impl();
                            });
      if (returned && t.mask() && !supports_masking_) t.set_mask({});
      missing = missing || (t && !t.mask());
    }
    if (missing) {
      const std::vector<Tensor> masks = output_masks(inputs, mask);
      for (size_t i = 0; i < all.size() && i < masks.size(); ++i)
        if (all[i] && !all[i].mask() && masks[i]) all[i].set_mask(masks[i]);
      if (std::none_of(masks.begin(), masks.end(), [](const Tensor& m) { return bool(m); }))
        check_mask(mask);
    }
    outputs = outputs.pack(all);
  } else if (Tensor first = detail::first_of(outputs)) {
    // A layer that returns its input must not hand on a mask that it does not support.
    const bool returns_input = inputs.is_tensor() && first.impl() == inputs.tensor().impl();
    if (mask && returns_input && !supports_masking_) first.set_mask({});
    // A layer that has set a mask itself knows better. Others may make one where inputs have none.
    if (!first.mask()) {
      if (const Tensor out = compute_mask(inputs, mask))
        first.set_mask(out);
      else
        check_mask(mask);
    }
    if (first.impl() != detail::first_of(outputs).impl()) outputs = with_first(outputs, first);
  }
  if (activity_regularizer_)
    for (const Tensor& t : outputs.flatten())
      if (t) add_loss(activity_penalty(*activity_regularizer_, t));
  return outputs;
}

// --- the call
// --------------------------------------------------------------------------------------

std::string Layer::path() const {
  std::string path;
  const Layer* before = nullptr;
  for (const Layer* layer : call_context().stack) {
    // A path ends at the layer itself, also in an error thrown from inside of it.
    if (layer == this) break;
    // A call that makes a node calls the layer again, to see what it gives.
    if (layer != before) path += layer->name() + "/";
    before = layer;
  }
  return path + name();
}

void Layer::check_arguments(const Call& call) const {
  if (call.extra.empty()) return;
  const auto known = argument_names();
  if (!known) return;
  for (const auto& [name, value] : call.extra)
    if (std::find(known->begin(), known->end(), name) == known->end())
      throw ValueError(fmt::format(
          "Layer '{}' ({}): the argument '{}' is not known.{}", path(), class_of(*this), name,
          known->empty() ? " This layer takes no arguments by name." : did_you_mean(name, *known)));
}

Tensor Layer::operator()(const Tensor& x, const Call& call) {
  if (!x) throw ValueError(fmt::format("Layer '{}': called on an empty tensor.", path()));
  Nest result = call_on(x, call);
  if (!result.is_tensor()) [[unlikely]]
    throw ValueError(
        fmt::format("Layer '{}' gives several tensors, {}. Call it with Nest(x) to get them all: "
                    "`const Nest all = layer(Nest(x));`, of which all[0] is the first, or take a "
                    "list apart: `const auto [a, b] = layer.unpack<2>(x);`.",
                    path(), result.structure()));
  return result.take_tensor();
}

std::vector<Tensor> Layer::call_for_list(const Nest& inputs, const Call& call, size_t count) {
  const Nest result = (*this)(inputs, call);
  const bool is_flat = result.is_list() && std::ranges::all_of(result.list(), &Nest::is_tensor);
  if (!is_flat || result.size() != count)
    throw ValueError(
        fmt::format("Layer '{}': unpack<{}> needs a list of {} tensors, but the layer gives {}.{}",
                    path(), count, count, result.structure(),
                    is_flat ? fmt::format(" Write unpack<{}>.", result.size())
                            : " Call it with Nest(x) and take what is inside of the Nest."));
  return result.flatten();
}

Nest Layer::operator()(const Nest& inputs, const Call& call) {
  if (inputs.empty())
    throw ValueError(fmt::format("Layer '{}': called on an empty tensor.", path()));
  return call_on(inputs, call);
}

Layer::StatelessResult Layer::stateless_call_with_losses(const StateValues& trainable,
                                                         const StateValues& non_trainable,
                                                         const Nest& inputs, const Call& call) {
  if (!built_)
    throw StateError(fmt::format(
        "stateless_call: layer '{}' is not built yet. Call it on data or build it before.",
        name()));
  const std::vector<Variable> state = non_trainable_variables();
  StatelessScope scope(state, non_trainable, "non_trainable_variables");
  scope.add_updates(trainable_variables(), trainable, "trainable_variables");
  // What is added to the losses stays in this call.
  const LossScope collected;
  Nest outputs = (*this)(inputs, call);
  return {std::move(outputs), scope.values_of(state), losses()};
}

std::pair<Nest, std::vector<Tensor>> Layer::stateless_call(const StateValues& trainable,
                                                           const StateValues& non_trainable,
                                                           const Nest& inputs, const Call& call) {
  StatelessResult result = stateless_call_with_losses(trainable, non_trainable, inputs, call);
  return {std::move(result.outputs), std::move(result.non_trainable_variables)};
}

Nest Layer::call_on(Nest inputs, const Call& call) {
  check_arguments(call);
  const bool symbolic = is_symbolic_call(inputs, call);
  if (symbolic)
    // A graph calls what it holds.
    if (const auto self = shared_layer(); self.get() != this)
      return self->call_on(std::move(inputs), call);
  CallScope scope(*this, call.training);
  if (scope.context().stack.size() == 1) drop_old_losses(*this, scope.context());
  // Inside the scope, so that errors while the graph is made carry the path too.
  if (symbolic) return call_symbolic(inputs, call);
  return run(std::move(inputs), call, scope.context());
}

std::shared_ptr<Layer> Layer::shared_layer() {
  auto self = std::static_pointer_cast<Layer>(weak_from_this().lock());
  if (!self)
    throw StateError(
        fmt::format("Layer '{}' lives on the stack, where no graph and no other layer can hold it. "
                    "Make it with make<T>(), or as a handle such as Dense({{...}}).",
                    path()));
  return self;
}

Nest Layer::call_symbolic(const Nest& given_inputs, const Call& given) {
  std::shared_ptr<Layer> self = shared_layer();
  Call call = given;
  Nest inputs = given_inputs;
  located(*this, [&] {
    if (!call.masks.empty()) inputs = with_masks(inputs, call.masks);
    bind(inputs, call, CallForm::graph);
  });
  // The node keeps what the call was given, not what it was cast to: files hold the former.
  Arguments arguments{{Value(inputs)}, call.extra};
  const Tensor mask = call.mask ? call.mask : first_mask(inputs);
  if (!call.masks.empty())
    arguments.named.emplace_back("mask", list_of(call.masks));
  else if (mask && uses_mask() && (call.mask || takes_carried_mask(inputs, call)))
    arguments.named.emplace_back("mask", mask);
  if (call.training.has_value()) arguments.named.emplace_back("training", *call.training);
  const Nest outputs =
      infer_outputs(arguments, [&](const Arguments& stand_ins) { return invoke(stand_ins); });
  const Nest result = make_node(std::move(self), std::move(arguments), outputs);
  std::vector<Tensor> masks = inputs.is_tensor() && result.is_tensor()
                                  ? std::vector<Tensor>{compute_mask(inputs, mask)}
                                  : output_masks(inputs, mask);
  std::vector<Tensor> all = result.flatten();
  if (masks.size() > all.size()) masks.resize(all.size());
  if (std::none_of(masks.begin(), masks.end(), [](const Tensor& m) { return bool(m); })) {
    check_mask(mask);
    return result;
  }
  for (size_t i = 0; i < masks.size(); ++i)
    if (masks[i]) all[i].set_mask(masks[i]);
  all[0].origin().node->masks = std::move(masks);
  return result.pack(all);
}

namespace {

// Whether a mask is one tensor, and not those of several inputs.
bool is_single(const Value& mask) {
  return !mask.is<Value::List>() && !mask.is<Value::Dict>() && mask.nest().is_tensor();
}

// The masks of inputs in any structure, in the order in which that is flattened.
void add_masks(const Value& value, std::vector<Tensor>& masks) {
  if (value.is<Value::List>()) {
    for (const Value& one : value.get<Value::List>()) add_masks(one, masks);
  } else if (value.is<Value::Dict>()) {
    std::map<std::string, Value> sorted(value.get<Value::Dict>().begin(),
                                        value.get<Value::Dict>().end());
    for (const auto& [key, one] : sorted) add_masks(one, masks);
  } else if (value.is_null()) {
    masks.emplace_back();
  } else {
    for (const Tensor& mask : value.nest().flatten()) masks.push_back(mask);
  }
}

}  // namespace

Call call_of(const Arguments& arguments) {
  Call call;
  for (const auto& [key, value] : arguments.named) {
    if (value.is_null()) continue;
    if (key == "training")
      call.training = detail::from_value<bool>(value);
    else if (key == "mask" && is_single(value))
      call.mask = value.nest().tensor();
    else if (key == "mask")
      add_masks(value, call.masks);
    else
      call.extra.emplace_back(key, value);
  }
  return call;
}

Nest inputs_of(const Arguments& arguments) {
  if (arguments.positional.size() == 1) return arguments.positional[0].nest();
  Nest::List list;
  for (const Value& value : arguments.positional)
    if (!value.is_null()) list.push_back(value.nest());
  return list.empty() ? Nest() : Nest(std::move(list));
}

// What Keras gave by position behind the inputs gets its name.
Arguments Layer::with_names(const Arguments& given) const {
  if (given.positional.size() < 2) return given;
  const std::vector<std::string> names = positional_arguments();
  Arguments result{{given.positional[0]}, given.named};
  for (size_t i = 1; i < given.positional.size(); ++i) {
    const Value& value = given.positional[i];
    const std::string name = i <= names.size() ? names[i - 1] : "";
    if (name.empty() || (name == "training" && !value.is<bool>() && !value.is_null()))
      result.positional.push_back(value);
    else
      result.named.emplace_back(name, value);
  }
  return result;
}

Nest Layer::invoke(const Arguments& given) {
  const Arguments arguments = with_names(given);
  Call call = call_of(arguments);
  check_arguments(call);
  Nest inputs = inputs_of(arguments);
  // As in Keras the flag of the model around it goes before the one that the graph was made with.
  if (call.training.has_value() && call_context().training.has_value()) call.training.reset();
  CallScope scope(*this, call.training);
  return run(std::move(inputs), std::move(call), scope.context());
}

Nest Layer::compute_output_spec(const Nest& inputs) {
  const Nest stand_ins = specs_of(inputs, !input_spec_.empty());
  // A scope of its own, since inference calls `run` past operator().
  CallScope scope(*this, {});
  return infer_outputs({{Value(stand_ins)}, {}}, [&](const Arguments& a) {
    return run(a.positional[0].nest(), {}, scope.context());
  });
}

Shape Layer::compute_output_shape(const Shape& input_shape) {
  return compute_output_spec(Tensor::abstract(input_shape, compute_dtype())).tensor().shape();
}

}  // namespace cornu
