// Stacking layers, and a stack's form in files.
#include "sequential.h"

#include <fmt/core.h>

#include <algorithm>

#include "../base/call_scope.h"
#include "../base/located.h"
#include "../base/remat_scope.h"
#include "../ops/operators.h"
#include "checkpoint_segments.h"
#include "kept_build.h"
#include "names.h"
#include "standardize.h"

namespace cornu {

Sequential::Sequential(const std::vector<AnyLayer>& layers, Options options) {
  set_base(options.name, options.trainable, {});
  supports_masking_ = true;
  autocast_ = false;
  for (const AnyLayer& layer : layers) {
    if (auto input = std::dynamic_pointer_cast<InputLayer>(layer.shared())) {
      if (input_ || !layers_.empty())
        throw ValueError("Sequential: an Input must be the first of the layers.");
      input_ = input;
      continue;
    }
    layers_.push_back(layer.shared());
  }
  make_names_unique({layers_.begin(), layers_.end()}, *this);
  build_from_input();
}

namespace {
// What stands for such data in a graph, in batches of any size.
Tensor any_batch(const Tensor& t) {
  Shape shape = t.shape();
  if (shape.rank() > 0) shape[0] = Shape::unknown;
  return Input({.dtype = t.dtype(), .batch_shape = shape});
}
}  // namespace

void Sequential::build_from_input() {
  if (!input_ || layers_.empty()) return;
  // Keys of a DTypePolicyMap are paths that begin with the model's name.
  std::optional<CallScope> scope;
  if (std::ranges::any_of(layers_, [](const auto& l) { return l->dtype_policy().is_map(); }))
    scope.emplace(*this, std::nullopt);
  ensure_built(Tensor::abstract(input_->batch_shape(), input_->dtype()));
}

std::shared_ptr<Layer> Sequential::shared_layer() {
  if (!weak_from_this().expired()) return Model::shared_layer();
  if (!shared_) {
    warn_of_plain_copy(typeid(Sequential));
    std::vector<AnyLayer> all;
    if (input_) all.emplace_back(input_);
    all.insert(all.end(), layers_.begin(), layers_.end());
    shared_ = std::make_shared<Sequential>(
        all, Options{is_named() ? name() : std::string(), trainable()});
    share_trainable(*shared_);
  }
  return shared_;
}

// Of derived classes too: the constructor, which needs a name, does not know them yet.
std::string Sequential::base_name() const { return "sequential"; }

void Sequential::add(const AnyLayer& layer) {
  if (layer.shared().get() == this || (shared_ && layer.shared() == shared_))
    throw ValueError(
        fmt::format("Sequential::add: model '{}' cannot be a layer of itself.", name()));
  if (shared_) shared_->add(layer);
  if (auto input = std::dynamic_pointer_cast<InputLayer>(layer.shared())) {
    if (input_ || !layers_.empty())
      throw ValueError("Sequential: an Input must be the first of the layers.");
    input_ = input;
    return;
  }
  std::vector<std::shared_ptr<Operation>> all(layers_.begin(), layers_.end());
  all.push_back(layer.shared());
  make_names_unique(all, *this);
  const std::vector<Nest> before = graph_;
  layers_.push_back(layer.shared());
  segment_ends_.clear();
  // Cached lists of variables are those of the old stack.
  forget_layers();
  try {
    build_last();
  } catch (...) {
    // A layer that does not fit leaves the stack as it was.
    if (shared_) shared_->pop();
    layers_.pop_back();
    graph_ = before;
    forget_layers();
    throw;
  }
}

// Only the new layer is built; the others keep their weights.
void Sequential::build_last() {
  if (!built()) return build_from_input();
  try {
    if (graph_.size() == layers_.size())
      extend_graph(layers_.size() - 1);
    else if (!input_spec().empty())
      build_many(input_spec());
  } catch (const NeedsValues&) {
    // The new layer looks at values: it is built by the first real call.
  }
}

void Sequential::pop() {
  if (layers_.empty()) throw StateError("Sequential::pop: there is no layer.");
  if (shared_) shared_->pop();
  forget_layers();
  segment_ends_.clear();
  layers_.pop_back();
  if (graph_.size() > layers_.size() + 1) graph_.pop_back();
}

void Sequential::build_many(const Nest& inputs) {
  // Also where nobody calls it, as with an Input first: paths of weights begin with its name.
  const CallScope scope(*this, {});
  graph_.clear();
  try {
    if (input_) {
      graph_ = {input_->output()};
      extend_graph(0);
      return;
    }
    // Layers build as the stand-ins reach them.
    Nest x = inputs;
    for (const auto& layer : layers_) x = layer->compute_output_spec(x);
  } catch (const NeedsValues&) {
    // A layer looks at values: it and those after it are built by the first real call.
    return;
  }
  try {
    graph_ = {inputs.map(any_batch)};
    extend_graph(0);
  } catch (const Error&) {
    // A layer is for batches of this size only, such as a stateful one: there is no graph.
    graph_.clear();
  }
}

// The graph in which layers find their symbolic inputs and outputs, from layer `first` on.
void Sequential::extend_graph(size_t first) {
  const CallScope scope(*this, {});
  for (size_t i = first; i < layers_.size(); ++i) graph_.push_back((*layers_[i])(graph_.back()));
}

const std::vector<Nest>& Sequential::graph(const char* what) const {
  if (graph_.size() != layers_.size() + 1 || layers_.empty())
    throw StateError(
        fmt::format("Model '{}' has no symbolic {}: {}", name(), what,
                    built() ? "a layer of it looks at values, or takes batches of one size only."
                            : "it is not built. Begin it with an Input, or call build."));
  return graph_;
}

Nest Sequential::inputs() const { return graph("inputs").front(); }

Nest Sequential::outputs() const { return graph("outputs").back(); }

bool Sequential::acts_per_row() const {
  return std::all_of(layers_.begin(), layers_.end(),
                     [](const std::shared_ptr<Layer>& layer) { return layer->acts_per_row(); });
}

Nest Sequential::call_many(const Nest& inputs, const Call&) {
  if (detail::wants_segments(*this, inputs) && !layers_.empty()) {
    if (segment_ends_.empty()) segment_ends_ = find_sections(inputs);
    Nest x = inputs;
    size_t begin = 0;
    for (const size_t end : segment_ends_) {
      // The gradient of the last begins when it ends: it would be computed again at once.
      x = end == layers_.size()
              ? run(x, begin, end)
              : detail::run_rematerialized(
                    *this, x, [this, begin, end](const Nest& in) { return run(in, begin, end); });
      begin = end;
    }
    return x;
  }
  return run(inputs, 0, layers_.size());
}

Nest Sequential::run(const Nest& inputs, size_t begin, size_t end) {
  Nest x = inputs;
  for (size_t i = begin; i < end; ++i) x = (*layers_[i])(x);
  return x;
}

std::vector<size_t> Sequential::find_sections(const Nest& inputs) const {
  std::vector<detail::StepSize> sizes(layers_.size());
  try {
    Nest x = inputs.map([](const Tensor& t) { return Tensor::abstract(t.shape(), t.dtype()); });
    for (size_t i = 0; i < layers_.size(); ++i) {
      x = layers_[i]->compute_output_spec(x);
      for (const Tensor& t : x.flatten())
        sizes[i].made += static_cast<double>(size_of(t.dtype())) *
                         static_cast<double>(std::max<int64_t>(t.shape().numel(), 1));
      // In a stack only the result of the layer before a cut is read behind it.
      sizes[i].across = sizes[i].made;
    }
  } catch (const NeedsValues&) {
    // A layer looks at values: what it makes is not known, and it is not parted from those before.
  }
  return detail::segment_ends(sizes);
}

Nest Sequential::input_spec() const {
  if (input_) return Tensor::abstract(input_->batch_shape(), input_->dtype());
  return {};
}

Nest Sequential::standardize(const Nest& x) const {
  return input_ ? standardize_inputs(x, input_spec(), input_names(), name()) : x;
}

std::vector<std::string> Sequential::output_names() const {
  if (layers_.empty()) return {};
  return {layers_.back()->name()};
}

std::vector<std::string> Sequential::input_names() const {
  return {input_ ? input_->name() : "input"};
}

Value::Dict Sequential::get_config() const {
  Value::Dict config = base_config();
  Value::List list;
  auto append = [&](const Layer& layer) {
    Value::Dict entry = located(layer, [&] { return serialize(layer); }).get<Value::Dict>();
    if (!layer.get_build_config().empty())
      entry.emplace_back("build_config", layer.get_build_config());
    list.push_back(std::move(entry));
  };
  if (input_) append(*input_);
  for (const auto& layer : layers_) append(*layer);
  config.emplace_back("layers", std::move(list));
  const Value::Dict build = get_build_config();
  if (const Value* built = detail::find(build, "input_shape")) {
    Value shape = *built;
    // Built by data: the next data may come in other batches.
    if (!input_ && shape.is<Value::List>() && !shape.get<Value::List>().empty()) {
      Value::List sizes = shape.get<Value::List>();
      if (sizes[0].is<int64_t>()) sizes[0] = Value();
      shape = std::move(sizes);
    }
    config.emplace_back("build_input_shape", std::move(shape));
  }
  return config;
}

namespace {

// A layer of the list. Errors name it, or its place when it has no name.
std::shared_ptr<Layer> read_entry(const Value& entry, size_t place) {
  std::string who = fmt::format("layer number {}", place);
  if (entry.is<Value::Dict>())
    if (const Value* config = detail::find(entry.get<Value::Dict>(), "config");
        config && config->is<Value::Dict>())
      if (const Value* name = detail::find(config->get<Value::Dict>(), "name");
          name && name->is<std::string>())
        who = "layer '" + name->get<std::string>() + "'";
  try {
    auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry));
    if (!layer) throw ValueError("is not a layer.");
    build_as_kept(*layer, entry.get<Value::Dict>());
    return layer;
  } catch (const UnsupportedError& e) {
    throw UnsupportedError(who + ": " + e.what());
  } catch (const ValueError& e) {
    throw ValueError(who + ": " + e.what());
  }
}

}  // namespace

Handle<Sequential> Sequential::from_config(const Value::Dict& dict) {
  return read_as<Sequential>(dict);
}

void Sequential::read(const Value::Dict& dict) {
  const Value* list = detail::find(dict, "layers");
  if (!list || !list->is<Value::List>())
    throw ValueError("Sequential: the config has no list 'layers'.");
  std::vector<AnyLayer> layers;
  for (const Value& entry : list->get<Value::List>())
    layers.emplace_back(read_entry(entry, layers.size()));
  const detail::BaseOptions base = detail::split_base_options(dict, false, false, false, false);
  set_base(base.name, base.trainable, base.policy);
  if (base.activity_regularizer) set_activity_regularizer(*base.activity_regularizer);
  for (const AnyLayer& layer : layers) {
    if (auto input = std::dynamic_pointer_cast<InputLayer>(layer.shared()))
      input_ = input;
    else
      layers_.push_back(layer.shared());
  }
  make_names_unique({layers_.begin(), layers_.end()}, *this);
  if (input_) {
    build_from_input();
  } else if (const Value* shape = detail::find(base.rest, "build_input_shape");
             shape && !shape->is_null()) {
    build_from_config({{"input_shape", *shape}});
  }
}

void register_sequential(Catalog& catalog) { catalog.add<Sequential>("keras.Sequential"); }

}  // namespace cornu
