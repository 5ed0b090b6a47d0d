// What changed between versions of Keras, class by class and key by key.
#include "version_adapters.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "../config/configurable.h"
#include "../ops/catalog.h"
#include "../ops/operators.h"
#include "adapters.h"
#include "dict.h"

namespace cornu::saving {

namespace {

using dict::drop;
using dict::find_dict;
using dict::find_list;
using dict::is_off;
using dict::set;
using dict::text;

bool is_model(const std::string& class_name) {
  return class_name == "Sequential" || class_name == "Functional" || class_name == "Model";
}

/// Where a key's objects are looked up when they have no module, as legacy files leave it out.
const char* module_of_key(std::string_view key, const char* otherwise) {
  const auto ends = [&](std::string_view end) { return key.ends_with(end); };
  // Keras 2 leaves modules out and looks classes up by the kind of option they stand for.
  if (ends("initializer")) return "keras.initializers";
  if (ends("regularizer")) return "keras.regularizers";
  if (ends("constraint")) return "keras.constraints";
  if (ends("layer") || ends("layers") || ends("activation") || key == "cell" || key == "cells")
    return "keras.layers";
  if (key == "learning_rate") return "keras.optimizers.schedules";
  if (ends("optimizer")) return "keras.optimizers";
  return otherwise;
}

/// Where Keras keeps layers that have no public name; legacy files say the name only.
const char* hidden_module(const std::string& class_name) {
  for (const char* module :
       {"keras.src.applications.convnext", "keras.src.applications.inception_resnet_v2"})
    if (catalog().find(module, class_name)) return module;
  return nullptr;
}

/// The public module of what Keras 2 and early Keras 3 wrote under private ones.
std::string public_module(std::string module, const std::string& class_name) {
  for (const char* prefix : {"tf_keras", "tensorflow.python.keras", "tensorflow.keras"})
    if (module.starts_with(prefix)) module = "keras" + module.substr(std::string(prefix).size());
  if (!module.starts_with("keras.")) return module;
  if (const char* hidden = hidden_module(class_name)) return hidden;
  if (is_model(class_name) && module != "keras.layers") return "keras";
  if (module.starts_with("keras.src.ops")) return module;
  const auto contains = [&](const char* part) { return module.find(part) != module.npos; };
  struct Row {
    const char* part;
    const char* module;
  };
  static constexpr Row rows[] = {
      // The first row that fits counts: schedules are inside of the optimizers' module.
      {"schedule", "keras.optimizers.schedules"},
      {"mixed_precision", "keras.optimizers"},
      {".optimizers", "keras.optimizers"},
      {".layers", "keras.layers"},
      {".initializers", "keras.initializers"},
      {".regularizers", "keras.regularizers"},
      {".constraints", "keras.constraints"},
      {".losses", "keras.losses"},
      {".metrics", "keras.metrics"},
  };
  for (const Row& row : rows)
    if (contains(row.part) &&
        (catalog().find(row.module, class_name) || !module.starts_with("keras.src")))
      return row.module;
  return module;
}

/// The module of an op in the graph of a legacy file, which keeps a class's name only. A layer of
/// that name ("Add", "Concatenate") says whether it is trainable, an op never. "" for what is no
/// op.
std::string module_of_op(const Value::Dict& object) {
  const Value::Dict* config = find_dict(object, "config");
  const Value::List* calls = find_list(object, "inbound_nodes");
  if (!config || config->find("trainable") || !calls || calls->empty()) return {};
  if (!(*calls)[0].is<Value::Dict>()) return {};  // Keras 2, which has no ops
  for (const char* file : {"numpy", "nn", "math", "core", "linalg", "image"}) {
    const std::string module = std::string("keras.src.ops.") + file;
    if (op_catalog().find(module, text(object, "class_name"))) return module;
  }
  return {};
}

[[noreturn]] void unsupported(const Value::Dict& config, const std::string& class_name,
                              const std::string& why) {
  throw UnsupportedError(fmt::format("layer '{}' ({}): {}", text(config, "name"), class_name, why));
}

/// A dtype policy as Keras 3 writes it.
Value upgrade_policy(const Value& value) {
  if (!dict::is_object(value)) return value;
  const auto& object = value.get<Value::Dict>();
  const std::string class_name = text(object, "class_name");
  if (class_name != "Policy" && class_name != "PolicyV1") return value;
  const Value::Dict* config = find_dict(object, "config");
  return Value::Dict{{"module", "keras"},
                     {"class_name", "DTypePolicy"},
                     {"config", Value::Dict{{"name", config ? text(*config, "name") : ""}}},
                     {"registered_name", Value()}};
}

// --- Classes ------------------------------------------------------------------------------------

/// Keys that Keras 2 wrote for a class and Keras 3 does not know. They may be dropped where they
/// are off (null, false, 0), or always.
struct OldKey {
  const char* class_part;  ///< in the class's name
  const char* key;
  bool only_when_off;
};
constexpr OldKey old_keys[] = {
    {"LSTM", "time_major", true},
    {"GRU", "time_major", true},
    {"RNN", "time_major", true},
    {"LSTM", "implementation", false},
    {"GRU", "implementation", false},
    {"RNN", "implementation", false},
    {"RNN", "input_dim", false},
    {"RNN", "input_length", false},
    {"Embedding", "input_length", false},
    {"MultiHeadAttention", "query_shape", false},
    {"MultiHeadAttention", "key_shape", false},
    {"MultiHeadAttention", "value_shape", false},
    {"MultiHeadAttention", "softmax_robust_masking", true},
    {"BatchNormalization", "fused", false},
    {"BatchNormalization", "virtual_batch_size", true},
    {"BatchNormalization", "adjustment", true},
    {"Separable", "kernel_initializer", false},
    {"Separable", "kernel_regularizer", false},
    {"Separable", "kernel_constraint", false},
    {"Depthwise", "kernel_initializer", false},
    {"Depthwise", "kernel_regularizer", false},
    {"Depthwise", "kernel_constraint", false},
    {"ConvLSTM", "time_major", true},
    {"ConvLSTM", "implementation", false},
    {"SpatialDropout", "noise_shape", true},
    {"Random", "rng_type", false},
};

void upgrade_layer_config(std::string& class_name, Value::Dict& config) {
  // Keras 2 always says "implementation", and "reset_after" since it has it.
  if ((class_name == "GRU" || class_name == "GRUCell") && !config.find("reset_after") &&
      config.find("implementation"))
    set(config, "reset_after", false);
  for (const OldKey& old : old_keys) {
    if (class_name.find(old.class_part) == std::string::npos || !config.find(old.key)) continue;
    // Dropping an option that changes results would load another model without a word.
    if (old.only_when_off && !is_off(config, old.key))
      unsupported(
          config, class_name,
          fmt::format("the option '{}' of Keras 2 is set; Keras 3 and Cornu do not have it.",
                      old.key));
    drop(config, old.key);
  }
  if (class_name == "InputLayer") {
    if (const Value* shape = config.find("batch_input_shape")) set(config, "batch_shape", *shape);
    drop(config, "input_tensor");
  }
  drop(config, "batch_input_shape");
  const bool one_group = class_name.ends_with("Transpose") || class_name.starts_with("Depthwise") ||
                         class_name.starts_with("Separable");
  if (const Value* groups = config.find("groups"); one_group && groups) {
    if (!groups->is_null() && !(groups->is_number() && groups->number() == 1))
      unsupported(config, class_name, "groups other than 1 are not supported by this layer.");
    drop(config, "groups");
  }
  if (class_name == "BatchNormalization" || class_name == "SyncBatchNormalization") {
    if (const Value::List* axis = find_list(config, "axis"); axis && axis->size() == 1)
      set(config, "axis", Value(axis->front()));
    if (is_off(config, "renorm"))
      for (const char* key : {"renorm", "renorm_clipping", "renorm_momentum"}) drop(config, key);
    if (class_name == "SyncBatchNormalization") {
      class_name = "BatchNormalization";
      set(config, "synchronized", true);
    }
  }
  if (class_name == "LeakyReLU")
    if (const Value* alpha = config.find("alpha")) {
      set(config, "negative_slope", *alpha);
      drop(config, "alpha");
    }
  if (class_name == "ThresholdedReLU") {
    class_name = "ReLU";
    if (const Value* theta = config.find("theta")) set(config, "threshold", *theta);
    drop(config, "theta");
  }
  if (class_name == "CuDNNLSTM" || class_name == "CuDNNGRU")
    unsupported(config, class_name,
                "its weights are laid out for a GPU library, which Keras 3 does not read either. "
                "Rebuild the model with LSTM or GRU in Keras 2, load the weights there and save it "
                "again.");
  if (class_name == "Lambda") {
    for (const char* key : {"module", "function_type", "output_shape_type", "output_shape_module"})
      drop(config, key);
    if (find_list(config, "function"))  // [code, defaults, closure]
      set(config, "function", Value::Dict{{"class_name", "__lambda__"}, {"config", Value::Dict{}}});
  }
  if (class_name == "TFSMLayer" || class_name == "TorchModuleWrapper")
    unsupported(config, class_name,
                "it refers to code or files outside the model, which are never read.");
}

void upgrade_sequential(Value& config, const std::string& name);

/// An object {class_name, config, ...}; `module` is where it is looked up when it does not say,
/// `key` where it stands.
Value upgrade_object(const Value::Dict& from, const char* module, std::string_view key) {
  Value::Dict object = from;
  std::string class_name = text(object, "class_name");
  if (class_name == "function" && key == "layers")
    throw ValueError(fmt::format("one of the layers is the function '{}.{}', not a layer.",
                                 text(object, "module"), text(object, "config")));
  if (class_name.starts_with("__") || class_name == "function" || class_name.empty()) return object;
  drop(object, "__passive_serialization__");
  if (class_name == "Policy" || class_name == "PolicyV1") return upgrade_policy(object);

  if (!object.find("module"))
    if (const std::string op = module_of_op(object); !op.empty()) set(object, "module", op);
  if (const Value* given = object.find("module"); !given) {
    const size_t arrow = class_name.find('>');
    const std::string package = arrow == class_name.npos ? "" : class_name.substr(0, arrow);
    if (package == "Custom" && catalog().find(module, class_name.substr(arrow + 1)) &&
        !catalog().find_registered(class_name)) {
      // Unless the program has registered a class of that very name.
      class_name = class_name.substr(arrow + 1);  // "Custom>Adam" is Keras 2's own
    } else if (!package.empty()) {
      set(object, "module", Value());
      set(object, "registered_name", class_name);
      class_name = class_name.substr(arrow + 1);
    }
    if (!object.find("module")) {
      const char* hidden = hidden_module(class_name);
      set(object, "module", is_model(class_name) ? "keras" : hidden ? hidden : module);
    }
  } else if (given->is<std::string>()) {
    set(object, "module", public_module(given->get<std::string>(), class_name));
  }
  if (text(object, "module") == "keras" && class_name == "Model") {
    class_name = "Functional";
    if (object.find("registered_name")) set(object, "registered_name", Value());
  }

  const Value* given = object.find("config");
  Value config = given ? *given : Value(Value::Dict{});
  const bool is_keras = text(object, "module").starts_with("keras");
  if (is_keras && class_name == "Sequential") {
    upgrade_sequential(config, text(object, "name"));
  } else if (config.is<Value::Dict>()) {
    Value::Dict options = config.get<Value::Dict>();
    const std::string in_module = text(object, "module");
    if (in_module == "keras.layers") upgrade_layer_config(class_name, options);
    if (in_module == "keras.initializers") drop(options, "dtype");
    if (in_module == "keras.optimizers.schedules" && is_off(options, "name")) drop(options, "name");
    const bool graph =
        options.find("input_layers") && options.find("output_layers") && options.find("layers");
    for (auto& [key, v] : options)
      if (!graph || key != "layers")
        v = key == "dtype" ? upgrade_policy(v) : upgrade(v, module_of_key(key, module), key);
    // After its other options; it upgrades its layers itself, in the order in which they are
    // called.
    if (graph) upgrade_functional(options);
    config = std::move(options);
  }
  set(object, "class_name", class_name);
  set(object, "config", std::move(config));
  return object;
}

// --- Sequential ---------------------------------------------------------------------------------

void upgrade_sequential(Value& config, const std::string& name) {
  // Very old files hold the bare list.
  if (config.is<Value::List>())
    config = Value::Dict{{"name", name.empty() ? "sequential" : name}, {"layers", config}};
  if (!config.is<Value::Dict>()) return;
  Value::Dict options = config.get<Value::Dict>();
  const Value::List* layers = find_list(options, "layers");
  if (!layers) return;
  Value::List upgraded;
  for (size_t i = 0; i < layers->size(); ++i) {
    const Value& entry = (*layers)[i];
    if (i == 0 && dict::is_object(entry)) {
      // Keras 2's first layer may say the shape of the input itself.
      const auto& object = entry.get<Value::Dict>();
      const Value::Dict* first = find_dict(object, "config");
      const Value* shape = first ? first->find("batch_input_shape") : nullptr;
      if (shape && text(object, "class_name") != "InputLayer" && !options.find("build_input_shape"))
        upgraded.push_back(
            Value::Dict{{"module", "keras.layers"},
                        {"class_name", "InputLayer"},
                        {"config", Value::Dict{{"batch_shape", *shape},
                                               {"dtype", "float32"},
                                               {"name", text(*first, "name") + "_input"}}},
                        {"registered_name", Value()}});
    }
    upgraded.push_back(upgrade(entry, "keras.layers", "layers"));
  }
  set(options, "layers", std::move(upgraded));
  if (const Value* dtype = options.find("dtype")) set(options, "dtype", upgrade_policy(*dtype));
  config = std::move(options);
}

}  // namespace

Value upgrade(const Value& value, const char* module, std::string_view key) {
  if (value.is<Value::List>()) {
    Value::List list;
    for (const Value& e : value.get<Value::List>()) list.push_back(upgrade(e, module, key));
    return list;
  }
  if (!value.is<Value::Dict>()) return value;
  const auto& from = value.get<Value::Dict>();
  if (text(from, "class_name") == "__tuple__")
    if (const Value::List* items = find_list(from, "items")) return upgrade(*items, module, key);
  if (dict::is_object(value)) return upgrade_object(from, module, key);
  Value::Dict result;
  for (const auto& [k, v] : from) result.emplace_back(k, upgrade(v, module_of_key(k, module), k));
  return result;
}

Value upgrade_model(const Value& model) {
  if (!model.is<Value::Dict>()) return model;
  return upgrade(model, "keras.layers", "");
}

std::vector<std::string> output_names_of(const Value& model) {
  std::vector<std::string> names;
  const std::function<void(const Value&)> collect = [&](const Value& v) {
    if (is_reference(v))
      names.push_back(v.get<Value::List>()[0].get<std::string>());
    else if (v.is<Value::List>())
      for (const Value& e : v.get<Value::List>()) collect(e);
    else if (v.is<Value::Dict>())
      for (const auto& [key, e] : v.get<Value::Dict>()) collect(e);
  };
  if (!model.is<Value::Dict>()) return names;
  if (const Value::Dict* config = find_dict(model.get<Value::Dict>(), "config"))
    if (const Value* outputs = config->find("output_layers")) collect(*outputs);
  return names;
}

}  // namespace cornu::saving
