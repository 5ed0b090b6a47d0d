// Graphs of Keras 2: list-form calls, numbers of nested models' calls, operations of TensorFlow.
#include <fmt/core.h>

#include <map>
#include <set>
#include <vector>

#include "../../backend/error.h"
#include "adapters.h"
#include "dict.h"

namespace cornu::saving {

using dict::drop;
using dict::find_dict;
using dict::find_list;
using dict::set;
using dict::text;

bool is_reference(const Value& value) {
  if (!value.is<Value::List>()) return false;
  const auto& list = value.get<Value::List>();
  return (list.size() == 3 || list.size() == 4) && list[0].is<std::string>() &&
         list[1].is<int64_t>() && (list.size() == 3 || list[3].is<Value::Dict>());
}

namespace {

/// Turns the calls of a graph of Keras 2 into those of Keras 3.
class CallReader {
 public:
  /// `first` tells from which number on each nested model's calls are counted.
  explicit CallReader(const std::map<std::string, int64_t>& first) : first_(first) {}

  struct Result {
    Value::List args;
    Value::Dict kwargs;
  };

  Result read(const Value& node) {
    Result result;
    kwargs_ = nullptr;
    if (is_reference(node)) {
      result.args.push_back(tensor(node));
    } else if (node.is<Value::List>() && node.get<Value::List>().size() == 1) {
      result.args.push_back(structure(node.get<Value::List>()[0]));
    } else {
      result.args.push_back(structure(node));
    }
    if (kwargs_)
      for (const auto& [key, v] : *kwargs_) result.kwargs.emplace_back(key, argument(v));
    return result;
  }

 private:
  Value tensor(const Value& reference) {
    const auto& list = reference.get<Value::List>();
    if (list.size() == 4 && list[3].is<Value::Dict>()) kwargs_ = &list[3].get<Value::Dict>();
    const std::string& name = list[0].get<std::string>();
    // Keras 2 writes a number among tensors in this form.
    if (name == "_CONSTANT_VALUE") return list[2];
    const auto found = first_.find(name);
    const int64_t first = found == first_.end() ? 0 : found->second;
    return Value::Dict{
        {"class_name", "__keras_tensor__"},
        {"config", Value::Dict{{"keras_history",
                                Value::List{name, list[1].get<int64_t>() - first, list[2]}}}}};
  }

  Value structure(const Value& value) {
    if (is_reference(value)) return tensor(value);
    if (value.is<Value::List>()) {
      Value::List list;
      for (const Value& e : value.get<Value::List>()) list.push_back(structure(e));
      return list;
    }
    if (value.is<Value::Dict>()) {
      Value::Dict result;
      for (const auto& [key, e] : value.get<Value::Dict>()) result.emplace_back(key, structure(e));
      return result;
    }
    return value;
  }

  /// A keyword argument: only lists that begin with a layer's name are tensors.
  Value argument(const Value& value) {
    if (is_reference(value) && value.get<Value::List>().size() == 3 &&
        first_.count(value.get<Value::List>()[0].get<std::string>()))
      return tensor(value);
    if (value.is<Value::List>()) {
      Value::List list;
      for (const Value& e : value.get<Value::List>()) list.push_back(argument(e));
      return list;
    }
    if (value.is<Value::Dict>() && !dict::is_object(value)) {
      Value::Dict result;
      for (const auto& [key, e] : value.get<Value::Dict>()) result.emplace_back(key, argument(e));
      return result;
    }
    return value;
  }

  const std::map<std::string, int64_t>& first_;
  const Value::Dict* kwargs_ = nullptr;
};

/// From which number on Keras 2 counts the calls of this operation: nested models own call 0.
int64_t first_call(const Value::Dict& entry) {
  const std::string class_name = text(entry, "class_name");
  if (class_name == "Functional" || class_name == "Model") return 1;
  if (class_name != "Sequential") return 0;
  const Value::Dict* config = find_dict(entry, "config");
  const Value::List* layers = config ? find_list(*config, "layers") : nullptr;
  if (!layers || layers->empty() || !(*layers)[0].is<Value::Dict>()) return 0;
  return text((*layers)[0].get<Value::Dict>(), "class_name") == "InputLayer" ? 1 : 0;
}

Value shift_outputs(const Value& value, const std::map<std::string, int64_t>& first) {
  if (is_reference(value)) {
    Value::List list = value.get<Value::List>();
    list.resize(3);
    if (const auto found = first.find(list[0].get<std::string>()); found != first.end())
      list[1] = list[1].get<int64_t>() - found->second;
    return list;
  }
  if (value.is<Value::List>()) {
    Value::List list;
    for (const Value& e : value.get<Value::List>()) list.push_back(shift_outputs(e, first));
    return list;
  }
  if (value.is<Value::Dict>()) {
    Value::Dict result;
    for (const auto& [key, e] : value.get<Value::Dict>())
      result.emplace_back(key, shift_outputs(e, first));
    return result;
  }
  return value;
}

void collect_names(const Value& value, std::set<std::string>& names) {
  if (value.is<Value::List>()) {
    for (const Value& e : value.get<Value::List>()) collect_names(e, names);
  } else if (value.is<Value::Dict>()) {
    const auto& d = value.get<Value::Dict>();
    if (const Value::List* history = find_list(d, "keras_history");
        history && !history->empty() && (*history)[0].is<std::string>())
      names.insert((*history)[0].get<std::string>());
    for (const auto& [key, e] : d) collect_names(e, names);
  }
}

/// Puts layers behind those whose tensors they take, so that a graph is rebuilt in one pass. Layers
/// that are called at several depths may depend on each other; they stay in their order.
void sort_by_dependency(Value::List& layers) {
  std::map<std::string, size_t> place;
  for (size_t i = 0; i < layers.size(); ++i)
    if (layers[i].is<Value::Dict>()) place.emplace(text(layers[i].get<Value::Dict>(), "name"), i);
  std::vector<std::vector<size_t>> users(layers.size());
  std::vector<size_t> waits(layers.size(), 0);
  bool ordered = true;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!layers[i].is<Value::Dict>()) continue;
    const Value* nodes = layers[i].get<Value::Dict>().find("inbound_nodes");
    std::set<std::string> names;
    if (nodes) collect_names(*nodes, names);
    for (const std::string& name : names) {
      const auto found = place.find(name);
      if (found == place.end() || found->second == i) continue;
      users[found->second].push_back(i);
      ++waits[i];
      ordered &= found->second < i;
    }
  }
  // Files of Keras are ordered as a rule: then nothing moves, and order means something to users.
  if (ordered) return;
  std::vector<size_t> order;
  std::vector<char> placed(layers.size(), 0);
  for (size_t i = 0; i < layers.size(); ++i)
    if (waits[i] == 0) order.push_back(i);
  for (size_t next = 0; next < order.size(); ++next) {
    placed[order[next]] = 1;
    for (size_t user : users[order[next]])
      if (--waits[user] == 0) order.push_back(user);
  }
  // Rebuilding tries each waiting layer again after each other: quadratic, and a made-up file could
  // be all of them.
  constexpr size_t most_entangled = 2000;
  if (layers.size() - order.size() > most_entangled)
    throw ValueError(
        fmt::format("Functional: {} layers wait for each other.", layers.size() - order.size()));
  for (size_t i = 0; i < layers.size(); ++i)
    if (!placed[i]) order.push_back(i);
  Value::List sorted;
  for (size_t i : order) sorted.push_back(std::move(layers[i]));
  layers = std::move(sorted);
}

constexpr size_t most_layers = 10'000;

}  // namespace

void upgrade_functional(Value::Dict& config) {
  const Value::List* given = find_list(config, "layers");
  if (!given) return;
  if (given->size() > most_layers)
    throw ValueError(
        fmt::format("Functional: {} layers; at most {} are read.", given->size(), most_layers));
  Value::List layers;
  std::map<std::string, int64_t> first;
  bool keras2 = false;
  for (const Value& entry : *given) {
    layers.push_back(upgrade(entry, "keras.layers", "layers"));
    if (!entry.is<Value::Dict>()) continue;
    const auto& object = entry.get<Value::Dict>();
    const Value::Dict* options = find_dict(object, "config");
    std::string name = text(object, "name");
    if (name.empty() && options) name = text(*options, "name");
    first.emplace(name, first_call(object));
    if (const Value::List* nodes = find_list(object, "inbound_nodes"))
      for (const Value& node : *nodes)
        keras2 |= !(node.is<Value::Dict>() && node.get<Value::Dict>().find("args"));
  }
  if (keras2) {
    std::set<std::string> models;  // those that outputs count from 1 in Keras 3 as well
    for (Value& layer : layers) {
      if (!layer.is<Value::Dict>()) continue;
      Value::Dict entry = layer.get<Value::Dict>();
      const std::string class_name = text(entry, "class_name"), name = text(entry, "name");
      if (class_name == "Functional") models.insert(name);
      const Value::List* nodes = find_list(entry, "inbound_nodes");
      if (!nodes) continue;
      CallReader reader(first);
      Value::List calls;
      for (const Value& node : *nodes) {
        if (node.is<Value::Dict>() && node.get<Value::Dict>().find("args")) {
          calls.push_back(node);
          continue;
        }
        CallReader::Result call = reader.read(node);
        if (class_name == "MultiHeadAttention") {
          for (const char* key : {"value", "key"})
            if (const Value* v = call.kwargs.find(key); v && !v->is_null()) call.args.push_back(*v);
          drop(call.kwargs, "value");
          drop(call.kwargs, "key");
        }
        if (class_name == "TFOpLambda" || class_name == "SlicingOpLambda") {
          if (nodes->size() != 1)
            throw UnsupportedError(
                fmt::format("layer '{}' ({}): it is called {} times; only once is supported.", name,
                            class_name, nodes->size()));
          const Value::Dict* options = find_dict(entry, "config");
          entry = upgrade_tf_op(name, options ? text(*options, "function") : "", call.args,
                                call.kwargs);
          calls.clear();
          break;
        }
        calls.push_back(
            Value::Dict{{"args", std::move(call.args)}, {"kwargs", std::move(call.kwargs)}});
      }
      if (!calls.empty() || !entry.find("inbound_nodes"))
        set(entry, "inbound_nodes", std::move(calls));
      layer = std::move(entry);
    }
    std::map<std::string, int64_t> shift = first;
    for (const std::string& name : models) shift[name] = 0;
    for (const char* key : {"input_layers", "output_layers"})
      if (const Value* v = config.find(key)) {
        Value shifted = shift_outputs(*v, shift);
        // One tensor is a list of one triple in Keras 2, and stands for the tensor itself.
        // A model with one output returns a tensor, not a list of one.
        if (shifted.is<Value::List>() && shifted.get<Value::List>().size() == 1 &&
            is_reference(shifted.get<Value::List>()[0]))
          shifted = Value(shifted.get<Value::List>()[0]);
        set(config, key, std::move(shifted));
      }
  }
  sort_by_dependency(layers);
  set(config, "layers", std::move(layers));
}

}  // namespace cornu::saving
