// Calling layers: building on first use, casting, masks, graphs, and errors that say which layer.
#include "layer.h"

#include <fmt/core.h>

#include "../../backend/log.h"
#include "../ops/core.h"
#include "../ops/operators.h"
#include "../ops/reduction.h"
#include "call_scope.h"

namespace cornu {

CallContext& call_context() {
  thread_local CallContext context;
  return context;
}

namespace {

// Rethrows an error with the layer's path in front, unless a layer further inside did so.
template <class F>
auto locate(const Layer& layer, F&& f) {
  thread_local std::string located;
  auto text = [&](const Error& e) {
    std::string message = e.what();
    if (message != located)
      message = fmt::format("Layer '{}' ({}): {}", layer.path(), layer.base_name(), message);
    located = message;
    return message;
  };
  try {
    return f();
  } catch (const ShapeError& e) {
    throw ShapeError(text(e));
  } catch (const ValueError& e) {
    throw ValueError(text(e));
  } catch (const StateError& e) {
    throw StateError(text(e));
  } catch (const UnsupportedError& e) {
    throw UnsupportedError(text(e));
  } catch (const MemoryError& e) {
    throw MemoryError(text(e));
  }
}

Nest specs(const Nest& inputs) {
  return inputs.map([](const Tensor& t) {
    if (!t) throw ValueError("one of the inputs is None; expected tensors.");
    return Tensor::abstract(t.shape(), t.dtype());
  });
}

Value shapes(const Nest& inputs) {
  if (inputs.is_tensor()) {
    Value::List list;
    for (int64_t size : inputs.tensor().shape())
      list.push_back(size == Shape::unknown ? Value() : Value(size));
    return list;
  }
  if (inputs.is_list()) {
    Value::List list;
    for (const Nest& n : inputs.list()) list.push_back(shapes(n));
    return list;
  }
  Value::Dict dict;
  for (const auto& [key, n] : inputs.entries()) dict.emplace_back(key, shapes(n));
  return dict;
}

Nest nest_of_shapes(const Value& v) {
  if (v.is<Value::List>()) {
    const auto& list = v.get<Value::List>();
    const bool is_shape = std::all_of(
        list.begin(), list.end(), [](const Value& e) { return e.is_null() || e.is<int64_t>(); });
    if (is_shape) return Tensor::abstract(detail::from_value<Shape>(v), DType::float32);
    Nest::List nests;
    for (const Value& e : list) nests.push_back(nest_of_shapes(e));
    return nests;
  }
  if (v.is<Value::Dict>()) {
    Nest::Dict dict;
    for (const auto& [key, e] : v.get<Value::Dict>()) dict.emplace_back(key, nest_of_shapes(e));
    return Nest::dict(std::move(dict));
  }
  throw ValueError("build_config: expected a shape, found " + v.kind());
}

// Makes unknown each axis whose size differs between two shapes, or nests of shapes.
Value merge_shapes(const Value& a, const Value& b) {
  if (a.is<Value::List>() && b.is<Value::List>() &&
      a.get<Value::List>().size() == b.get<Value::List>().size()) {
    Value::List list;
    for (size_t i = 0; i < a.get<Value::List>().size(); ++i)
      list.push_back(merge_shapes(a.get<Value::List>()[i], b.get<Value::List>()[i]));
    return list;
  }
  if (a.is<Value::Dict>() && b.is<Value::Dict>()) {
    Value::Dict dict;
    for (const auto& [key, v] : a.get<Value::Dict>()) {
      const Value* other = detail::find(b.get<Value::Dict>(), key);
      dict.emplace_back(key, other ? merge_shapes(v, *other) : v);
    }
    return dict;
  }
  if (a.is<int64_t>() && b.is<int64_t>() && a.get<int64_t>() == b.get<int64_t>()) return a;
  return a.is<int64_t>() ? Value() : a;
}

// Gives inputs the masks of a list, in their order, for its life.
class GivenMasks {
 public:
  GivenMasks(std::vector<Tensor> inputs, const Value::List& masks) : inputs_(std::move(inputs)) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      before_.push_back(inputs_[i].mask());
      if (i < masks.size() && masks[i].is<Tensor>()) inputs_[i].set_mask(masks[i].get<Tensor>());
    }
  }
  ~GivenMasks() {
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i].set_mask(before_[i]);
  }
  GivenMasks(const GivenMasks&) = delete;

 private:
  std::vector<Tensor> inputs_, before_;
};

Tensor first_mask(const Nest& inputs) {
  if (inputs.is_tensor()) return inputs.tensor() ? inputs.tensor().mask() : Tensor();
  for (const Tensor& t : inputs.flatten())
    if (t && t.mask()) return t.mask();
  return {};
}

}  // namespace

// --- the defaults of what subclasses override
// ---------------------------------------------------------

void Layer::build(const Shape&) {}

void Layer::build_many(const Nest& inputs) {
  if (inputs.is_tensor()) build(inputs.tensor().shape());
}

Tensor Layer::call(const Tensor& x, const Call& call) {
  if (delegating_) throw StateError("neither call nor call_many is overridden.");
  delegating_ = true;
  struct Reset {
    bool& flag;
    ~Reset() { flag = false; }
  } reset{delegating_};
  return call_many(Nest(x), call).tensor();
}

Nest Layer::call_many(const Nest& inputs, const Call& call) {
  if (!inputs.is_tensor())
    throw ShapeError("takes a single tensor, found the structure " + inputs.structure() + ".");
  return this->call(inputs.tensor(), call);
}

Tensor Layer::compute_mask(const Nest&, const Tensor& mask) {
  return supports_masking_ ? mask : Tensor();
}

bool Layer::takes_carried_mask(const Nest&, const Call&) const { return true; }

Value::Dict Layer::get_config() const { return base_config(); }

// --- calls
// ------------------------------------------------------------------------------------------------

std::string Layer::path() const {
  std::string path;
  for (const Layer* layer : call_context().stack) {
    if (layer == this) break;
    path += layer->name() + "/";
  }
  return path + name();
}

Tensor Layer::cast_input(const Tensor& x) const {
  if (!autocast_ || !x || !is_float(x.dtype()) || x.dtype() == compute_dtype()) return x;
  Tensor y = ops::cast(x, compute_dtype());
  if (x.mask()) y.set_mask(x.mask());
  return y;
}

void Layer::check_mask(const Tensor& mask) {
  if (!mask || supports_masking_ || uses_mask() || warned_mask_) return;
  warned_mask_ = true;
  warn_once(fmt::format(
      "Layer '{}' does not support masking: the mask of its input ends here. Override compute_mask "
      "to hand it on, or take it off before with set_mask({{}}).",
      path()));
}

namespace {

// Keras divides by the batch so that the penalty does not grow with it.
Tensor activity_penalty(Regularizer& regularizer, const Tensor& output) {
  const double batch =
      output.rank() > 0 ? static_cast<double>(std::max<int64_t>(output.shape()[0], 1)) : 1;
  return regularizer(output) / Tensor(batch);
}

}  // namespace

void Layer::after_call(const Nest& inputs, const Tensor& mask, const Tensor& first_output) {
  if (mask && first_output && !first_output.mask()) {
    const Tensor out = compute_mask(inputs, mask);
    if (out) first_output.set_mask(out);
  }
  if (activity_regularizer_ && first_output)
    add_loss(activity_penalty(*activity_regularizer_, first_output));
}

Tensor Layer::run(const Tensor& x, const Call& given) {
  return locate(*this, [&]() -> Tensor {
    const Tensor in = cast_input(x);
    if (!built_)
      ensure_built(in);
    else if (shapes_pending_)
      settle_build_shapes(in);
    Call call = given;
    call.training = call_context().training;
    const Tensor mask = call.mask ? cast_input(call.mask) : in.mask();
    call.mask = given.mask || (mask && takes_carried_mask(in, given)) ? mask : Tensor();
    if (mask) check_mask(mask);
    LayerObserver* observer = call_context().observer;
    if (observer) observer->before(*this, in);
    std::optional<AutocastScope> autocast;
    if (policy_.compute_dtype() != policy_.variable_dtype()) autocast.emplace(compute_dtype());
    Tensor y = this->call(in, call);
    if (!y) throw StateError("call returned no tensor.");
    // A layer that returns its input must not put its own mask on the caller's tensor.
    if (mask && y.impl() == in.impl() && !supports_masking_) y = ops::stop_gradient(y);
    if (mask || activity_regularizer_) after_call(in, mask, y);
    if (observer) observer->after(*this, y);
    return y;
  });
}

Nest Layer::run_many(const Nest& inputs, const Call& given) {
  return locate(*this, [&]() -> Nest {
    const Nest in = inputs.is_tensor() ? Nest(cast_input(inputs.tensor()))
                                       : inputs.map([&](const Tensor& t) { return cast_input(t); });
    if (!built_)
      ensure_built(in);
    else if (shapes_pending_)
      settle_build_shapes(in);
    Call call = given;
    call.training = call_context().training;
    const Tensor mask = call.mask ? cast_input(call.mask) : first_mask(in);
    call.mask = given.mask || (mask && takes_carried_mask(in, given)) ? mask : Tensor();
    if (mask) check_mask(mask);
    LayerObserver* observer = call_context().observer;
    if (observer) observer->before(*this, in);
    std::optional<AutocastScope> autocast;
    if (policy_.compute_dtype() != policy_.variable_dtype()) autocast.emplace(compute_dtype());
    const Nest y = call_many(in, call);
    if (mask || activity_regularizer_) {
      const std::vector<Tensor> outputs = y.flatten();
      after_call(in, mask, outputs.at(0));
      for (size_t i = 1; activity_regularizer_ && i < outputs.size(); ++i)
        add_loss(activity_penalty(*activity_regularizer_, outputs[i]));
    }
    if (observer) observer->after(*this, y);
    return y;
  });
}

Tensor Layer::operator()(const Tensor& x, const Call& call) {
  if (!x) throw ValueError(fmt::format("Layer '{}': called on an empty tensor.", path()));
  if (x.is_symbolic()) return call_symbolic(x, call).tensor();
  CallScope scope(*this, call.training);
  return run(x, call);
}

Nest Layer::operator()(const Nest& inputs, const Call& call) {
  if (inputs.empty())
    throw ValueError(fmt::format("Layer '{}': called on an empty tensor.", path()));
  if (any_symbolic(inputs.flatten())) return call_symbolic(inputs, call);
  CallScope scope(*this, call.training);
  return run_many(inputs, call);
}

Nest Layer::call_symbolic(const Nest& inputs, const Call& call) {
  std::shared_ptr<Operation> self = weak_from_this().lock();
  if (!self)
    throw StateError(
        fmt::format("Layer '{}' lives on the stack and cannot be part of a graph. Make it with "
                    "make<T>(), or as a handle such as Dense({{...}}).",
                    path()));
  CallScope scope(*this, call.training);
  Arguments arguments{{Value(inputs)}, call.extra};
  const Tensor mask = call.mask ? call.mask : first_mask(inputs);
  if (mask && uses_mask() && (call.mask || takes_carried_mask(inputs, call)))
    arguments.named.emplace_back("mask", mask);
  if (call.training) arguments.named.emplace_back("training", *call.training);
  const Nest outputs =
      infer_outputs(arguments, [&](const Arguments& stand_ins) { return invoke(stand_ins); });
  const Nest result = make_node(std::move(self), std::move(arguments), outputs);
  if (mask) {
    check_mask(mask);
    if (const Tensor out = compute_mask(inputs, mask)) result.flatten().at(0).set_mask(out);
  } else if (const Tensor out = compute_mask(inputs, {})) {
    result.flatten().at(0).set_mask(out);
  }
  return result;
}

Nest Layer::invoke(const Arguments& arguments) {
  if (arguments.positional.empty())
    throw ValueError(fmt::format("Layer '{}': called without an input.", path()));
  Call call;
  const Value::List* masks = nullptr;
  for (const auto& [key, value] : arguments.named) {
    if (value.is_null()) continue;
    if (key == "training")
      call.training = detail::from_value<bool>(value);
    else if (key == "mask" && value.is<Value::List>())
      masks = &value.get<Value::List>();
    else if (key == "mask")
      call.mask = value.nest().tensor();
    else
      call.extra.emplace_back(key, value);
  }
  // More positional arguments are further tensors: (query, value, key) of attention.
  Nest inputs = arguments.positional[0].nest();
  if (arguments.positional.size() > 1) {
    Nest::List list;
    for (const Value& v : arguments.positional)
      if (!v.is_null()) list.push_back(v.nest());
    inputs = std::move(list);
  }
  std::optional<GivenMasks> given;
  if (masks) given.emplace(inputs.flatten(), *masks);
  if (call.training && !*call.training && call_context().training) call.training.reset();
  CallScope scope(*this, call.training);
  return run_many(inputs, call);
}

void Layer::ensure_built(const Nest& inputs) {
  if (built_) return;
  PauseRecording pause;
  const size_t weights = weights_.size(), trainable = trainable_weights_, tracked = tracked_.size();
  try {
    build_many(specs(inputs));
  } catch (...) {
    // A failed build leaves nothing behind: the next call may be right.
    weights_.resize(weights);
    trainable_weights_ = trainable;
    tracked_.resize(tracked);
    throw;
  }
  built_ = true;
  build_config_ = {{"input_shape", shapes(inputs)}};
  shapes_pending_ = inference_pass() == InferencePass::first;
}

// A layer that was built on stand-ins learns from their second sizes which axes are unknown.
void Layer::settle_build_shapes(const Nest& inputs) {
  const InferencePass pass = inference_pass();
  if (pass == InferencePass::first) return;
  if (pass == InferencePass::second)
    build_config_ = {{"input_shape", merge_shapes(build_config_[0].second, shapes(inputs))}};
  shapes_pending_ = false;
}

void Layer::build_from_config(const Value::Dict& config) {
  const Value* shape = detail::find(config, "input_shape");
  if (!shape || shape->is_null()) return;
  CallScope scope(*this, {});
  locate(*this, [&] { ensure_built(nest_of_shapes(*shape)); });
}

Nest Layer::compute_output_spec(const Nest& inputs) {
  const Nest stand_ins = specs(inputs);
  CallScope scope(*this, {});
  return infer_outputs({{Value(stand_ins)}, {}},
                       [&](const Arguments& a) { return run_many(a.positional[0].nest(), {}); });
}

Shape Layer::compute_output_shape(const Shape& input_shape) {
  return compute_output_spec(Tensor::abstract(input_shape, compute_dtype())).tensor().shape();
}

}  // namespace cornu
