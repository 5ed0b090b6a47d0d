// A graph's form in files: each operation with the calls that were made of it.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "../base/located.h"
#include "../config/quoted_names.h"
#include "../ops/catalog.h"
#include "../ops/convert.h"
#include "../ops/core/cast.h"
#include "../ops/operators.h"
#include "functional.h"
#include "kept_build.h"

namespace cornu {
namespace {

// The number of a node among the calls of its operation in this model.
using NodeNumbers = std::map<const Node*, int64_t>;

Value nested_values(const Tensor& t) {
  const std::vector<double> values = t.to_vector<double>();
  const bool integers = !is_float(t.dtype());
  size_t next = 0;
  const std::function<Value(int)> walk = [&](int axis) -> Value {
    if (axis == t.rank()) {
      const double v = values[next++];
      return t.dtype() == DType::boolean ? Value(v != 0)
             : integers                  ? Value(static_cast<int64_t>(v))
                                         : Value(v);
    }
    Value::List list;
    for (int64_t i = 0; i < t.shape()[axis]; ++i) list.push_back(walk(axis + 1));
    return list;
  };
  return walk(0);
}

Value encode(const Value& v, const NodeNumbers& numbers) {
  if (v.is<Tensor>()) {
    const Tensor& t = v.get<Tensor>();
    if (t.is_symbolic()) {
      const Origin& origin = t.origin();
      return Value::Dict{
          {"class_name", "__keras_tensor__"},
          {"config", Value::Dict{{"shape", t.shape()},
                                 {"dtype", t.dtype()},
                                 {"keras_history", Value::List{origin.node->operation->name(),
                                                               numbers.at(origin.node.get()),
                                                               int64_t{origin.index}}}}}};
    }
    if (t.is_weak()) return nested_values(t);
    return Value::Dict{{"class_name", "__tensor__"},
                       {"config", Value::Dict{{"value", nested_values(t)}, {"dtype", t.dtype()}}}};
  }
  if (v.is<Value::List>()) {
    Value::List list;
    for (const Value& e : v.get<Value::List>()) list.push_back(encode(e, numbers));
    return list;
  }
  if (v.is<Value::Dict>()) {
    Value::Dict dict;
    for (const auto& [key, e] : v.get<Value::Dict>()) dict.emplace_back(key, encode(e, numbers));
    return dict;
  }
  return v;
}

Value reference(const Tensor& t, const NodeNumbers& numbers) {
  const Node* node = t.origin().node.get();
  // Keras counts the calls of a nested Functional from 1 here, and only here.
  const int64_t first = dynamic_cast<Functional*>(node->operation.get()) ? 1 : 0;
  return Value::List{node->operation->name(), numbers.at(node) + first, int64_t{t.origin().index}};
}

Value references(const Nest& nest, const NodeNumbers& numbers) {
  if (nest.is_tensor()) return reference(nest.tensor(), numbers);
  if (nest.is_list()) {
    Value::List list;
    for (const Nest& n : nest.list()) list.push_back(references(n, numbers));
    return list;
  }
  Value::Dict dict;
  for (const auto& [key, n] : nest.entries()) dict.emplace_back(key, references(n, numbers));
  return dict;
}

}  // namespace

Value::Dict Functional::get_config() const {
  // Keras counts the calls of a layer within the model; calls elsewhere do not count.
  NodeNumbers numbers;
  std::map<const Operation*, std::vector<const Node*>> calls;
  for (const Step& step : steps_) {
    auto& list = calls[step.node->operation.get()];
    numbers[step.node.get()] = static_cast<int64_t>(list.size());
    list.push_back(step.node.get());
  }
  Value::List layers;
  for (const auto& operation : operations_) {
    Value::Dict entry;
    if (auto* layer = dynamic_cast<Layer*>(operation.get())) {
      entry = located(*layer, [&] { return serialize(*layer); }).get<Value::Dict>();
      if (!layer->get_build_config().empty() && !dynamic_cast<InputLayer*>(layer))
        entry.emplace_back("build_config", layer->get_build_config());
    } else {
      const auto& op = dynamic_cast<const OpOperation&>(*operation);
      Value::Dict config = encode(op.config(), numbers).get<Value::Dict>();
      config.emplace_back("name", op.name());
      entry = {{"module", op.info().module},
               {"class_name", op.info().class_name},
               {"config", std::move(config)},
               {"registered_name", op.info().class_name}};
    }
    entry.emplace_back("name", operation->name());
    Value::List nodes;
    if (!dynamic_cast<InputLayer*>(operation.get()))
      for (const Node* node : calls[operation.get()])
        nodes.push_back(Value::Dict{{"args", encode(node->arguments.positional, numbers)},
                                    {"kwargs", encode(node->arguments.named, numbers)}});
    entry.emplace_back("inbound_nodes", std::move(nodes));
    layers.push_back(std::move(entry));
  }
  return {{"name", name()},
          {"trainable", trainable()},
          {"layers", std::move(layers)},
          {"input_layers", references(inputs_, numbers)},
          {"output_layers", references(outputs_, numbers)}};
}

namespace {

const Value& require(const Value::Dict& dict, const char* key, const std::string& owner) {
  const Value* v = detail::find(dict, key);
  if (!v) throw ValueError(fmt::format("{}: '{}' is missing.", owner, key));
  return *v;
}

const Value::Dict& as_dict(const Value& v, const std::string& what) {
  if (!v.is<Value::Dict>())
    throw ValueError(fmt::format("{}: expected a dictionary, found {}.", what, v.kind()));
  return v.get<Value::Dict>();
}

const Value::List& as_list(const Value& v, const std::string& what) {
  if (!v.is<Value::List>())
    throw ValueError(fmt::format("{}: expected a list, found {}.", what, v.kind()));
  return v.get<Value::List>();
}

// Rebuilds a graph from its config: operations first, then calls as soon as their inputs exist.
class GraphReader {
 public:
  explicit GraphReader(const Value::Dict& config) : config_(config) {}

  struct Read {
    Nest inputs, outputs;
    Functional::Options options;
  };

  // The tensors own the graph.
  Read read() {
    for (const Value& entry :
         as_list(require(config_, "layers", "Functional"), "Functional: layers"))
      make_operation(as_dict(entry, "Functional: layers"));
    run_calls();
    std::string name;
    if (const Value* v = detail::find(config_, "name"); v && v->is<std::string>())
      name = v->get<std::string>();
    return {tensors(require(config_, "input_layers", "Functional")),
            tensors(require(config_, "output_layers", "Functional")),
            {name}};
  }

 private:
  struct Entry {
    std::shared_ptr<Operation> operation;
    const Value::List* calls = nullptr;
    size_t next = 0;
    std::vector<std::vector<Tensor>> results;
  };

  void make_operation(const Value::Dict& dict) {
    const std::string name =
        detail::from_value<std::string>(require(dict, "name", "Functional: layers"));
    if (entries_.count(name))
      throw ValueError(fmt::format("Functional: two layers are named '{}'.", name));
    const std::string module =
        detail::find(dict, "module") && detail::find(dict, "module")->is<std::string>()
            ? detail::find(dict, "module")->get<std::string>()
            : "";
    Entry entry;
    entry.calls = &as_list(require(dict, "inbound_nodes", "layer '" + name + "'"),
                           "layer '" + name + "': inbound_nodes");
    try {
      if (module.starts_with("keras.src.ops.")) {
        entry.operation = make_op(dict, module);
      } else {
        auto layer = std::dynamic_pointer_cast<Layer>(deserialize(dict));
        if (!layer) throw ValueError("is not a layer.");
        build_as_kept(*layer, dict);
        entry.operation = layer;
        if (auto input = std::dynamic_pointer_cast<InputLayer>(layer)) {
          // The node of an input lives only as long as its tensor.
          keep_.push_back(input->output());
          entry.results.push_back({keep_.back()});
        }
      }
    } catch (const UnsupportedError& e) {
      throw UnsupportedError(fmt::format("layer '{}': {}", name, e.what()));
    } catch (const ValueError& e) {
      throw ValueError(fmt::format("layer '{}': {}", name, e.what()));
    }
    order_.push_back(name);
    entries_.emplace(name, std::move(entry));
  }

  std::shared_ptr<Operation> make_op(const Value::Dict& dict, const std::string& module) {
    const std::string class_name =
        detail::from_value<std::string>(require(dict, "class_name", "op"));
    const OpInfo* info = op_catalog().find(module, class_name);
    if (!info)
      throw UnsupportedError(fmt::format("the op {} of {} is not supported.{}", class_name, module,
                                         did_you_mean(class_name, op_catalog().names())));
    Value::Dict settings;
    std::string name;
    if (const Value* config = detail::find(dict, "config"))
      for (const auto& [key, v] : as_dict(*config, class_name + ": config")) {
        if (key == "name")
          name = v.is<std::string>() ? v.get<std::string>() : "";
        else
          settings.emplace_back(key, decode_constants(v));
      }
    auto op = std::make_shared<OpOperation>(*info, std::move(settings));
    if (!name.empty()) {
      op->rename(name);
      op->set_named();
    }
    return op;
  }

  static const std::string* marker(const Value& v) {
    if (!v.is<Value::Dict>()) return nullptr;
    const Value* name = detail::find(v.get<Value::Dict>(), "class_name");
    return name && name->is<std::string>() ? &name->get<std::string>() : nullptr;
  }

  static Value decode_constants(const Value& v) {
    if (const std::string* kind = marker(v)) {
      const auto& config = as_dict(require(v.get<Value::Dict>(), "config", *kind), *kind);
      if (*kind == "__tensor__" || *kind == "__numpy__") return detail::from_value<Tensor>(v);
      if (*kind == "__slice__") {
        auto bound = [&](const char* key) -> std::optional<int64_t> {
          const Value* b = detail::find(config, key);
          if (!b || b->is_null()) return std::nullopt;
          return detail::from_value<int64_t>(*b);
        };
        return Slice{bound("start"), bound("stop"), bound("step")};
      }
      if (*kind == "__ellipsis__") return Ellipsis{};
    }
    if (v.is<Value::List>()) {
      Value::List list;
      for (const Value& e : v.get<Value::List>()) list.push_back(decode_constants(e));
      return list;
    }
    return v;
  }

  // The value with its tensors, or nothing while one of them does not exist yet.
  std::optional<Value> resolve(const Value& v) {
    if (const std::string* kind = marker(v)) {
      if (*kind == "__keras_tensor__") {
        const auto& config = as_dict(require(v.get<Value::Dict>(), "config", *kind), *kind);
        const auto& path = as_list(require(config, "keras_history", *kind), "keras_history");
        return lookup(path, 0);
      }
      return decode_constants(v);
    }
    if (v.is<Value::List>()) {
      Value::List list;
      for (const Value& e : v.get<Value::List>()) {
        auto r = resolve(e);
        if (!r) return std::nullopt;
        list.push_back(std::move(*r));
      }
      return list;
    }
    if (v.is<Value::Dict>()) {
      Value::Dict dict;
      for (const auto& [key, e] : v.get<Value::Dict>()) {
        auto r = resolve(e);
        if (!r) return std::nullopt;
        dict.emplace_back(key, std::move(*r));
      }
      return dict;
    }
    return v;
  }

  std::optional<Value> lookup(const Value::List& path, int64_t first) {
    if (path.size() != 3)
      throw ValueError("Functional: a tensor reference is not [layer, node, tensor].");
    const std::string name = detail::from_value<std::string>(path[0]);
    const auto found = entries_.find(name);
    if (found == entries_.end()) {
      throw ValueError(
          fmt::format("Functional: a tensor refers to the layer '{}', which is not there.{}", name,
                      did_you_mean(name, order_)));
    }
    const Entry& entry = found->second;
    const int64_t node = detail::from_value<int64_t>(path[1]) - first,
                  index = detail::from_value<int64_t>(path[2]);
    // An input has a result, but no call.
    const int64_t calls =
        std::max<int64_t>(static_cast<int64_t>(entry.calls->size()), entry.results.size());
    if (node < 0 || node >= calls)
      throw ValueError(
          fmt::format("Functional: a tensor refers to call {} of layer '{}', which has {}.", node,
                      name, calls));
    // The call is in the file, but has not been made yet.
    if (node >= static_cast<int64_t>(entry.results.size())) return std::nullopt;
    const auto& outputs = entry.results[node];
    if (index < 0 || index >= static_cast<int64_t>(outputs.size()))
      throw ValueError(
          fmt::format("Functional: a tensor refers to output {} of layer '{}', which has {}.",
                      index, name, outputs.size()));
    return outputs[index];
  }

  static bool holds_tensor(const Value& v) {
    if (v.is<Value::List>()) {
      const auto& list = v.get<Value::List>();
      return std::any_of(list.begin(), list.end(), holds_tensor);
    }
    if (v.is<Value::Dict>()) {
      const auto& dict = v.get<Value::Dict>();
      return std::any_of(dict.begin(), dict.end(),
                         [](const auto& e) { return holds_tensor(e.second); });
    }
    return v.is<Tensor>();
  }

  // None among the inputs of a layer, which may be a list of them.
  static bool holds_none(const Value& v) {
    if (!v.is<Value::List>()) return v.is_null();
    const auto& list = v.get<Value::List>();
    return std::any_of(list.begin(), list.end(), holds_none);
  }

  bool try_call(const std::string& name, Entry& entry) {
    const auto& call = as_dict((*entry.calls)[entry.next], "layer '" + name + "': inbound_nodes");
    const Value* args = detail::find(call, "args");
    const Value* kwargs = detail::find(call, "kwargs");
    if (!args || !args->is<Value::List>())
      throw ValueError(fmt::format("layer '{}': a call has no list 'args'.", name));
    std::optional<Value> positional = resolve(*args);
    std::optional<Value> named = Value(Value::Dict{});
    if (kwargs) named = resolve(*kwargs);
    // Some input does not exist yet; the call is tried again in the next round.
    if (!positional || !named) return false;
    Arguments arguments{positional->get<Value::List>(), {}};
    for (const auto& [key, v] : as_dict(*named, "kwargs"))
      // Keras writes None for arguments that were not given.
      if (!v.is_null()) arguments.named.emplace_back(key, v);
    const bool no_input = !arguments.positional.empty() && holds_none(arguments.positional[0]);
    if (dynamic_cast<const Layer*>(entry.operation.get()) &&
        (no_input || (!holds_tensor(*positional) && !holds_tensor(*named))))
      throw ValueError(fmt::format("layer '{}': a call has no tensor as its input.", name));
    const Nest outputs = infer_outputs(
        arguments, [&](const Arguments& stand_ins) { return entry.operation->invoke(stand_ins); });
    const std::vector<Tensor> results =
        make_node(entry.operation, std::move(arguments), outputs).flatten();
    // Until the model holds the graph.
    keep_.insert(keep_.end(), results.begin(), results.end());
    entry.results.push_back(results);
    ++entry.next;
    return true;
  }

  void run_calls() {
    bool progress = true, left = true;
    while (left && progress) {
      left = progress = false;
      for (const std::string& name : order_) {
        Entry& entry = entries_.at(name);
        // All calls of a layer that can be made: files list layers so that one round is usually
        // enough.
        while (entry.next < entry.calls->size()) {
          if (!try_call(name, entry)) {
            left = true;
            break;
          }
          progress = true;
        }
      }
    }
    // A round without progress: what is left can never be called.
    if (left) {
      std::vector<std::string> stuck;
      for (const std::string& name : order_)
        if (entries_.at(name).next < entries_.at(name).calls->size()) stuck.push_back(name);
      throw ValueError(
          "Functional: these layers wait for each other or for inputs that do not exist: " +
          detail::quoted_names(stuck) + ".");
    }
  }

  Nest tensors(const Value& v) {
    if (v.is<Value::List>()) {
      const auto& list = v.get<Value::List>();
      if (list.size() == 3 && list[0].is<std::string>()) {
        const auto found = entries_.find(list[0].get<std::string>());
        const int64_t first = found != entries_.end() &&
                                      std::dynamic_pointer_cast<Functional>(found->second.operation)
                                  ? 1
                                  : 0;
        const std::optional<Value> t = lookup(list, first);
        if (!t) throw ValueError("Functional: an output is not computed.");
        return t->get<Tensor>();
      }
      Nest::List nests;
      for (const Value& e : list) nests.push_back(tensors(e));
      return nests;
    }
    if (v.is<Value::Dict>()) {
      Nest::Dict dict;
      for (const auto& [key, e] : v.get<Value::Dict>()) dict.emplace_back(key, tensors(e));
      return Nest::dict(std::move(dict));
    }
    throw ValueError("Functional: expected references to tensors, found " + v.kind() + ".");
  }

  const Value::Dict& config_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;
  std::vector<Tensor> keep_;  // symbolic tensors own their nodes
};

}  // namespace

void Functional::read(const Value::Dict& dict, const Maker& make) {
  GraphReader reader(dict);
  const GraphReader::Read read = reader.read();
  const std::shared_ptr<Functional> model = make(read.inputs, read.outputs, read.options);
  const Value* trainable = detail::find(dict, "trainable");
  const bool frozen = trainable && trainable->is<bool>() && !trainable->get<bool>();
  model->set_base(read.options.name, !frozen && model->trainable(), {});
}

Handle<Functional> Functional::from_config(const Value::Dict& dict) {
  return read_as<Functional>(dict);
}

void register_functional(Catalog& catalog) {
  catalog.add<Functional>(
      "keras.src.models.functional.Functional");  // as Keras 3 writes it: the first is written
  catalog.add<Functional>("keras.Functional");
}

}  // namespace cornu
