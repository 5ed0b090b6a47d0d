// What a layer owns: weights, layers inside, losses, its name.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "../config/class_name.h"
#include "../config/loading.h"
#include "../ops/catalog.h"
#include "../ops/convert.h"
#include "../ops/core/cast.h"
#include "../ops/operators.h"
#include "../ops/random/seed.h"
#include "call_scope.h"
#include "layer.h"
#include "metric.h"
#include "nesting.h"
#include "optimizer.h"
#include "remat_scope.h"

namespace cornu {

namespace {

std::mutex& losses_mutex() {
  static std::mutex mutex;
  return mutex;
}

// How many losses the layers of the process keep: mostly none, and then no call looks for them.
std::atomic<size_t> kept_losses = 0;

}  // namespace

Layer::Layer() : policy_(default_policy()), remat_mode_(detail::current_remat_mode()) {}
Layer::~Layer() { kept_losses -= losses_.size(); }

// Weights or layers come from a call of `build` that was not ensure_built's: the layer is built
// now, and the first call tells the shapes. A constructor is told from it by the owner, which comes
// later.
void Layer::note_direct_build() {
  if (built_ || building_ || weak_from_this().expired()) return;
  note_path();
  built_ = true;
  shapes_pending_ = true;
}

Variable Layer::add_weight(WeightOptions options) {
  note_direct_build();
  const DType dtype = options.dtype.value_or(variable_dtype());
  const auto& stack = call_context().stack;
  const bool calling = std::find(stack.begin(), stack.end(), this) != stack.end();
  // A second direct call of `build` finds the weights of the first. A call would make the weight
  // again each time.
  if (built_ && !building_ && (stack.empty() || calling) && options.name != WeightOptions{}.name)
    for (const Variable& v : weights_) {
      if (v.name() != options.name || v.shape() != options.shape || v.dtype() != dtype) continue;
      if (!calling) return v;
      throw StateError(
          fmt::format("add_weight: this layer has a weight '{}' already, and 'call' runs many "
                      "times. Make weights in 'build' or in the constructor.",
                      options.name));
    }
  if (!options.shape.known())
    throw ShapeError(fmt::format(
        "weight '{}' cannot have the shape {}: an axis of the input that weights depend on "
        "has no known size. Give it in Input.",
        options.name, options.shape.str()));
  if (!options.initializer) options.initializer = is_float(dtype) ? "glorot_uniform" : "zeros";
  const ComputeNow now;
  Variable::Options settings{.name = options.name, .trainable = options.trainable && *trainable_};
  if (auto constraint = options.constraint)
    settings.constraint = [constraint](const Tensor& x) { return (*constraint)(x); };
  if (auto regularizer = options.regularizer)
    settings.regularizer = [regularizer](const Tensor& x) { return (*regularizer)(x); };
  // While a file is loaded, its values come later: no initializer runs, and memory is bounded.
  const Tensor room = detail::claim_weight(path(), options.name, options.shape, dtype);
  Tensor value = room ? room : (*options.initializer)(options.shape, dtype);
  if (value && value.shape() != options.shape)
    throw ShapeError(
        fmt::format("weight '{}' has the shape {}, but its initializer gave a value of shape {}.",
                    options.name, options.shape.str(), value.shape().str()));
  if (value && value.dtype() != dtype) value = ops::cast(value, dtype);
  Variable v(value, std::move(settings));
  v.set_path(path() + "/" + options.name);
  if (options.overwrite_with_gradient) v.set_overwrite_with_gradient(true);
  // Trainable weights stand before the others, in the order that Keras's get_weights has.
  if (options.trainable) {
    weights_.insert(weights_.begin() + static_cast<std::ptrdiff_t>(trainable_weights_++), v);
  } else {
    weights_.push_back(v);
  }
  return v;
}

void Layer::track_one(const std::string& attribute, std::shared_ptr<Layer> layer) {
  track_list(attribute, {std::move(layer)});
  tracked_.back().is_list = false;
}

void Layer::track_activations(std::span<const detail::OptionRow> rows, const void* const* options) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const Activation* activation = nullptr;
    if (*rows[i].type == typeid(Activation))
      activation = static_cast<const Activation*>(options[i]);
    if (*rows[i].type == typeid(Required<Activation>))
      activation = &static_cast<const Required<Activation>*>(options[i])->value;
    if (auto layer = activation ? activation->layer() : nullptr)
      track_one(std::string(rows[i].name), std::move(layer));
  }
}

namespace {
[[noreturn]] void throw_taken(const std::string& attribute) {
  throw ValueError(fmt::format("track: this layer has a '{}' already.", attribute));
}
}  // namespace

// Two entries of one name would be one group in a file.
void Layer::require_free(const std::string& attribute) const {
  for (const Tracked& t : tracked_)
    if (t.attribute == attribute) throw_taken(attribute);
}

void Layer::track_list(const std::string& attribute, std::vector<std::shared_ptr<Layer>> layers) {
  for (const auto& layer : layers)
    if (!layer) throw ValueError(fmt::format("track: '{}' holds no layer.", attribute));
  for (const auto& layer : layers)
    if (detail::is_or_has(*layer, *this))
      throw ValueError(fmt::format(
          "track: '{}' holds this layer itself, or a layer that it is inside of.", attribute));
  require_free(attribute);
  for (const TrackedState& state : states_)
    if (state.attribute == attribute) throw_taken(attribute);
  note_direct_build();
  // Layers inside are told apart by name; one the user has not named gets a free one.
  std::vector<std::string> taken;
  for (const auto& inside : sublayers()) taken.push_back(inside->name());
  tracked_.push_back({attribute, layers, true, {}});
  for (const auto& layer : layers) {
    std::string name = layer->name();
    if (!layer->is_named())
      for (int i = 1; std::find(taken.begin(), taken.end(), name) != taken.end(); ++i)
        name = fmt::format("{}_{}", layer->base_name(), i);
    if (name != layer->name()) layer->rename(name);
    taken.push_back(name);
  }
}

void Layer::track(const std::string& attribute, const Members& members) {
  track_list(attribute, members.layers());
  if (members.layer())
    tracked_.back().is_list = false;
  else
    tracked_.back().members = std::make_shared<const Members>(members);
}

AnyLayer::AnyLayer(Layer& layer) : Handle<Layer>(layer.shared_layer()) {}
AnyLayer::AnyLayer(Layer&& layer) : Handle<Layer>(layer.shared_layer()) {}
Members::Members(Layer& layer) : layer_(layer.shared_layer()) {}

std::vector<std::shared_ptr<Layer>> Members::layers() const {
  if (layer_) return {layer_};
  std::vector<std::shared_ptr<Layer>> result;
  for (const Members& m : list_)
    for (auto& layer : m.layers()) result.push_back(std::move(layer));
  return result;
}

std::vector<std::shared_ptr<Layer>> Layer::sublayers() const {
  std::vector<std::shared_ptr<Layer>> result;
  for (const Tracked& t : tracked_)
    for (const auto& layer : t.layers)
      // A layer that two members share counts once.
      if (std::find(result.begin(), result.end(), layer) == result.end()) result.push_back(layer);
  return result;
}

namespace {

void add_unique(std::vector<Variable>& list, const Variable& v) {
  // Weights may be shared between layers; linear, as lists are short and order counts.
  for (const Variable& other : list)
    if (other == v) return;
  list.push_back(v);
}

void collect_variables(const Layer& layer, bool with_seeds, std::vector<Variable>& out) {
  for (const Variable& v : layer.own_weights()) add_unique(out, v);
  if (with_seeds)
    for (const auto& seeds : layer.seed_generators()) add_unique(out, seeds->state());
  for (const auto& inside : layer.sublayers()) collect_variables(*inside, with_seeds, out);
}

}  // namespace

std::vector<Variable> Layer::weights() const {
  std::vector<Variable> result;
  collect_variables(*this, false, result);
  return result;
}

std::vector<Variable> Layer::variables() const {
  std::vector<Variable> result;
  collect_variables(*this, true, result);
  return result;
}

std::vector<Variable> Layer::trainable_weights() const {
  std::vector<Variable> result;
  if (*trainable_)
    for (const Variable& v : weights())
      if (v.trainable()) result.push_back(v);
  return result;
}

namespace {

std::vector<Variable> those_not_trained(std::vector<Variable> variables, bool layer_trainable) {
  std::erase_if(variables, [&](const Variable& v) { return layer_trainable && v.trainable(); });
  return variables;
}

}  // namespace

std::vector<Variable> Layer::non_trainable_weights() const {
  return those_not_trained(weights(), *trainable_);
}

std::vector<Variable> Layer::non_trainable_variables() const {
  return those_not_trained(variables(), *trainable_);
}

SeedGenerator& Layer::add_seed_generator(std::optional<int64_t> seed) {
  return *seed_generators_.emplace_back(std::make_unique<SeedGenerator>(seed));
}

int64_t Layer::count_params() const {
  if (!built_ && weights().empty() && !sublayers().empty())
    throw StateError(fmt::format(
        "count_params: layer '{}' is not built yet. Call it on data or build it.", name()));
  int64_t count = 0;
  for (const Variable& v : weights()) count += v.shape().numel();
  return count;
}

std::vector<Tensor> Layer::get_weights() const {
  std::vector<Tensor> values;
  for (const Variable& v : weights()) values.push_back(v.value().detached());
  return values;
}

void Layer::set_weights(const std::vector<Tensor>& values) {
  const std::vector<Variable> all = weights();
  if (values.size() != all.size())
    throw ShapeError(fmt::format("set_weights: layer '{}' has {} weights, {} values were given.{}",
                                 name(), all.size(), values.size(),
                                 built_ ? "" : " It is not built yet."));
  for (size_t i = 0; i < all.size(); ++i)
    if (!values[i])
      throw ShapeError(
          fmt::format("set_weights: the value of weight {} of layer '{}' ('{}') is an "
                      "empty Tensor.",
                      i, name(), all[i].path()));
    else if (values[i].shape() != all[i].shape())
      throw ShapeError(
          fmt::format("set_weights: weight {} of layer '{}' ('{}') has shape {}, the value has {}.",
                      i, name(), all[i].path(), all[i].shape().str(), values[i].shape().str()));
  // Only after all shapes have been compared: an error leaves the layer as it was.
  for (size_t i = 0; i < all.size(); ++i) Variable(all[i]).assign(values[i]);
}

void Layer::set_trainable(bool trainable) {
  *trainable_ = trainable;
  for (size_t i = 0; i < trainable_weights_; ++i) weights_[i].set_trainable(trainable);
  for (const auto& layer : sublayers()) layer->set_trainable(trainable);
}

void Layer::add_loss(const Tensor& loss) {
  if (!loss) throw ValueError("add_loss: expected a scalar, found an empty Tensor.");
  if (inferring()) return;
  // Inside of a training step losses belong to the step; outside they collect in the layer.
  if (LossScope* scope = call_context().losses) return scope->add(*this, loss);
  const std::lock_guard lock(losses_mutex());
  losses_.push_back(loss);
  ++kept_losses;
}

std::shared_ptr<Metric> Layer::add_metric(std::shared_ptr<Metric> metric) {
  if (!metric) throw ValueError("add_metric: there is no metric.");
  metrics_.push_back(metric);
  return metric;
}

std::vector<Tensor> Layer::losses() const {
  std::vector<Tensor> result;
  const LossScope* const scope = call_context().losses;
  const std::function<void(const Layer&)> collect = [&](const Layer& layer) {
    if (scope) {
      for (const auto& [from, loss] : scope->losses())
        if (from == &layer) result.push_back(loss);
    } else {
      const std::lock_guard lock(losses_mutex());
      result.insert(result.end(), layer.losses_.begin(), layer.losses_.end());
    }
    for (const auto& inside : layer.sublayers()) collect(*inside);
  };
  collect(*this);
  for (const Variable& v : trainable_variables())
    if (v.options().regularizer) result.push_back(v.options().regularizer(v.value()));
  return result;
}

void Layer::clear_losses() {
  if (LossScope* scope = call_context().losses) scope->remove(*this);
  {
    const std::lock_guard lock(losses_mutex());
    kept_losses -= losses_.size();
    losses_.clear();
  }
  for (const auto& layer : sublayers()) layer->clear_losses();
}

void drop_old_losses(Layer& layer, const CallContext& context) {
  if (inferring()) return;
  if (context.losses ? !context.losses->losses().empty() : kept_losses > 0) layer.clear_losses();
}

std::vector<std::shared_ptr<Metric>> Layer::layer_metrics() const {
  std::vector<std::shared_ptr<Metric>> result = metrics_;
  for (const auto& layer : sublayers())
    for (auto& metric : layer->layer_metrics())
      if (std::find(result.begin(), result.end(), metric) == result.end()) result.push_back(metric);
  return result;
}

std::vector<Variable> Layer::metrics_variables() const {
  std::vector<Variable> result;
  for (const auto& metric : metrics())
    for (const Variable& v : metric->variables()) result.push_back(v);
  return result;
}

void Layer::track_optimizer(const std::string& attribute, std::shared_ptr<Optimizer> optimizer) {
  if (!optimizer) throw ValueError(fmt::format("track: '{}' holds no optimizer.", attribute));
  require_free(attribute);
  for (TrackedState& state : states_)
    if (state.attribute == attribute) {
      if (state.metric) throw_taken(attribute);
      // Compiled again, a model holds another one.
      state.optimizer = std::move(optimizer);
      return;
    }
  states_.push_back({attribute, std::move(optimizer), nullptr});
}

void Layer::track_metric(const std::string& attribute, std::shared_ptr<Metric> metric) {
  if (!metric) throw ValueError(fmt::format("track: '{}' holds no metric.", attribute));
  require_free(attribute);
  for (const TrackedState& state : states_)
    if (state.attribute == attribute) throw_taken(attribute);
  states_.push_back({attribute, nullptr, metric});
  add_metric(std::move(metric));
}

const std::string& Layer::name() const {
  // Several threads may be the first to ask.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (name_.empty()) name_ = base_name();
  return name_;
}

void Layer::rename(const std::string& name) {
  if (name.find('/') != std::string::npos)
    throw ValueError(fmt::format("A layer's name may not contain '/', found '{}'.", name));
  const std::string old = name_;
  name_ = name;
  if (old.empty() || old == name_) return;
  // The paths of weights have the layer's name in them: in front of the names of the layers in
  // between, which may be the same.
  const std::function<void(const Layer&, const std::string&)> change =
      [&](const Layer& layer, const std::string& rest) {
        for (Variable v : layer.own_weights()) {
          const std::string path = "/" + v.path(),
                            end = fmt::format("/{}{}/{}", old, rest, v.name());
          // A layer in between may have been left out of the path, where it was never called.
          const size_t found =
              path.ends_with(end) ? path.size() - end.size() : path.find("/" + old + "/");
          if (found != std::string::npos)
            v.set_path(
                (path.substr(0, found + 1) + name + path.substr(found + 1 + old.size())).substr(1));
        }
        for (const auto& inside : layer.sublayers()) change(*inside, rest + "/" + inside->name());
      };
  change(*this, "");
}

std::string Layer::base_name() const {
  // DenseLayer is Keras's Dense.
  const std::string name = detail::handle_name(typeid(*this), "Layer");
  return to_snake_case(name == "Input" ? "InputLayer" : name);
}

void Layer::set_base(const std::string& name, bool trainable,
                     const std::optional<DTypePolicy>& policy) {
  if (!name.empty()) {
    rename(name);
    named_ = true;
  }
  *trainable_ = trainable;
  if (policy) policy_ = *policy;
}

void Layer::set_activity_regularizer(Choice<Regularizer> r) {
  regularizer_taken_away_ = !r && (activity_regularizer_ || regularizer_taken_away_);
  activity_regularizer_ = std::move(r);
}

void Layer::configure(const Value::Dict& config) {
  const detail::BaseOptions base = detail::split_base_options(config, false, false, false, false);
  if (!base.rest.empty())
    detail::unknown_key(base.rest[0].first, {"name", "trainable", "dtype", "activity_regularizer"});
  set_base(base.name, base.trainable, base.policy);
  if (base.activity_regularizer) set_activity_regularizer(*base.activity_regularizer);
}

Value::Dict Layer::get_config() const { return base_config(); }

Value::Dict Layer::base_config() const {
  Value::Dict config = {{"name", name()},
                        {"trainable", *trainable_},
                        {"dtype", detail::OptionCodec<DTypePolicy>::encode(policy_)}};
  if (activity_regularizer_ || regularizer_taken_away_)
    config.emplace_back("activity_regularizer",
                        detail::OptionCodec<Choice<Regularizer>>::encode(activity_regularizer_));
  return config;
}

namespace detail {

BaseOptions split_base_options(const Value::Dict& dict, bool keep_name, bool keep_trainable,
                               bool keep_dtype, bool keep_activity_regularizer) {
  BaseOptions base;
  for (const auto& [key, value] : dict) {
    try {
      if (key == "name" && !keep_name) {
        if (!value.is_null()) base.name = from_value<std::string>(value);
      } else if (key == "trainable" && !keep_trainable) {
        base.trainable = from_value<bool>(value);
      } else if (key == "dtype" && !keep_dtype) {
        base.policy = OptionCodec<DTypePolicy>::decode(value);
      } else if (key == "activity_regularizer" && !keep_activity_regularizer) {
        base.activity_regularizer = OptionCodec<Choice<Regularizer>>::decode(value);
      } else {
        base.rest.emplace_back(key, value);
      }
    } catch (const ValueError&) {
      rethrow_for_option(key);
    }
  }
  return base;
}

Value::Dict merge_config(Value::Dict base, Value::Dict own) {
  for (auto& [key, value] : own)
    if (!find(base, key)) base.emplace_back(key, std::move(value));
  return base;
}

}  // namespace detail
}  // namespace cornu
