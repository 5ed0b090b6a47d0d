// What compile was given: the forms of Keras 2, and of legacy files, to and from a compile_config.
#include <fmt/core.h>

#include <algorithm>

#include "../../backend/error.h"
#include "../config/configurable.h"
#include "adapters.h"
#include "dict.h"
#include "version_adapters.h"

namespace cornu::saving {
namespace {

using dict::drop;
using dict::find_dict;
using dict::find_list;
using dict::set;
using dict::text;

// Names of Keras 2's wrappers of functions.
bool is_wrapper(const std::string& class_name) {
  return class_name == "MeanMetricWrapper" || class_name == "LossFunctionWrapper" ||
         class_name == "SumOverBatchSizeMetricWrapper";
}

/// The text of a config's `fn`, which is a name or a function object.
std::string function_of(const Value::Dict& config) {
  if (const Value::Dict* object = find_dict(config, "fn")) return text(*object, "config");
  return text(config, "fn");
}

Value upgrade_loss(const Value& value) {
  if (value.is<Value::List>()) {
    Value::List list;
    for (const Value& e : value.get<Value::List>()) list.push_back(upgrade_loss(e));
    return list;
  }
  if (!value.is<Value::Dict>()) return value;
  if (!dict::is_object(value)) {
    Value::Dict result;
    for (const auto& [name, e] : value.get<Value::Dict>())
      result.emplace_back(name, upgrade_loss(e));
    return result;
  }
  Value object = upgrade(value, "keras.losses", "loss");
  const Value::Dict* config = find_dict(object.get<Value::Dict>(), "config");
  if (!config) return object;
  const std::string function = function_of(*config);
  if (is_wrapper(text(object.get<Value::Dict>(), "class_name"))) return function;
  Value::Dict options = *config;
  drop(options, "fn");
  if (text(options, "reduction") == "auto") set(options, "reduction", "sum_over_batch_size");
  Value::Dict result = object.get<Value::Dict>();
  set(result, "config", std::move(options));
  return result;
}

bool is_short_name(const std::string& name) {
  return name == "accuracy" || name == "acc" || name == "crossentropy" || name == "ce";
}

/// A metric of Keras 2; `output` is the output's name where files put it in front of the metric's.
Value upgrade_metric(const Value& value, const std::string& output) {
  if (!dict::is_object(value)) return value;
  Value::Dict object = upgrade(value, "keras.metrics", "metrics").get<Value::Dict>();
  const Value::Dict* given = find_dict(object, "config");
  if (!given) return object;
  Value::Dict config = *given;
  const bool from_keras2 = value.get<Value::Dict>().find("module") == nullptr;
  std::string name = text(config, "name");
  if (from_keras2 && !output.empty() && name.starts_with(output + "_")) {
    name = name.substr(output.size() + 1);
    set(config, "name", name);
  }
  const std::string function = function_of(config);
  drop(config, "fn");
  if (is_wrapper(text(object, "class_name"))) {
    // Keras 2 writes "accuracy" as the function that it took before it saw the targets. The short
    // name is resolved by the data, as in Keras 3.
    if (is_short_name(name)) return name;
    const ClassInfo* info = catalog().find_by_name("keras.metrics", function);
    if (info) {
      set(object, "class_name", info->class_name);
    } else {
      if (!catalog().find_by_name("keras.losses", function)) return function;
      // A function that is a loss and no metric.
      set(object, "class_name", std::string("MeanMetricWrapper"));
      set(config, "fn", function);
    }
  }
  set(object, "config", std::move(config));
  return object;
}

Value upgrade_metrics(const Value& value, const std::vector<std::string>& outputs) {
  if (value.is<Value::Dict>() && !dict::is_object(value)) {
    Value::Dict result;
    for (const auto& [name, e] : value.get<Value::Dict>())
      result.emplace_back(name, upgrade_metrics(e, {name}));
    return result;
  }
  if (!value.is<Value::List>()) return upgrade_metric(value, outputs.size() == 1 ? outputs[0] : "");
  const auto& list = value.get<Value::List>();
  const bool nested =
      std::any_of(list.begin(), list.end(), [](const Value& e) { return e.is<Value::List>(); });
  Value::List result;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string output = nested && i < outputs.size() && outputs.size() > 1 ? outputs[i] : "";
    if (!list[i].is<Value::List>()) {
      result.push_back(upgrade_metric(list[i], output));
      continue;
    }
    Value::List inner;
    for (const Value& e : list[i].get<Value::List>())
      if (!e.is_null()) inner.push_back(upgrade_metric(e, output));
    result.push_back(std::move(inner));
  }
  // One list for one output is the plain list.
  if (nested && result.size() == 1 && outputs.size() <= 1) return Value(result[0]);
  return result;
}

Value upgrade_optimizer(const Value& value) {
  if (!dict::is_object(value)) return value;
  Value::Dict object = upgrade(value, "keras.optimizers", "optimizer").get<Value::Dict>();
  const Value::Dict* given = find_dict(object, "config");
  if (!given) return object;
  Value::Dict config = *given;
  if (const Value* rate = config.find("lr"); rate && !config.find("learning_rate"))
    set(config, "learning_rate", Value(*rate));
  for (const char* key : {"lr", "jit_compile", "is_legacy_optimizer", "schedule_decay"})
    drop(config, key);
  // The old way of saying InverseTimeDecay.
  if (const Value* decay = config.find("decay")) {
    const Value* rate = config.find("learning_rate");
    if (decay->is_number() && decay->number() != 0 && rate && rate->is_number())
      set(config, "learning_rate",
          Value::Dict{{"module", "keras.optimizers.schedules"},
                      {"class_name", "InverseTimeDecay"},
                      {"config", Value::Dict{{"initial_learning_rate", *rate},
                                             {"decay_steps", 1},
                                             {"decay_rate", *decay}}},
                      {"registered_name", Value()}});
    drop(config, "decay");
  }
  std::string class_name = text(object, "class_name");
  if (class_name.starts_with("LossScaleOptimizer")) {
    set(object, "class_name", "LossScaleOptimizer");
    for (const char* key : {"dynamic", "loss_scale"}) drop(config, key);
    if (const Value* inner = config.find("inner_optimizer"))
      set(config, "inner_optimizer", upgrade_optimizer(*inner));
  }
  set(object, "config", std::move(config));
  return object;
}

// --- Downgrading --------------------------------------------------------------------------------

/// An object as legacy files have it: {class_name, config}.
Value plain_object(const Value& value) {
  if (!dict::is_object(value)) return value;
  const auto& object = value.get<Value::Dict>();
  const std::string registered = text(object, "registered_name");
  const Value* config = object.find("config");
  if (text(object, "class_name") == "function") return *config;
  return Value::Dict{
      {"class_name",
       registered.find('>') != registered.npos ? registered : text(object, "class_name")},
      {"config", *config}};
}

/// Keras cannot read its own short names in legacy files: losses get their full name, metrics an
/// object.
Value downgrade_name(const Value& value, const char* module, bool as_object) {
  if (!value.is<std::string>()) return plain_object(value);
  const std::string& name = value.get<std::string>();
  if (is_short_name(name)) return value;
  const ClassInfo* info = catalog().find_by_name(module, name);
  if (!info) return value;
  if (!as_object) {
    static constexpr const char* full[][2] = {{"mse", "mean_squared_error"},
                                              {"mae", "mean_absolute_error"},
                                              {"mape", "mean_absolute_percentage_error"},
                                              {"msle", "mean_squared_logarithmic_error"},
                                              {"bce", "binary_crossentropy"},
                                              {"kld", "kl_divergence"}};
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    for (const auto& [abbreviation, whole] : full)
      if (lower == abbreviation) return whole;
    return value;
  }
  return Value::Dict{{"class_name", info->class_name},
                     {"config", Value::Dict{{"name", name}, {"dtype", "float32"}}}};
}

Value downgrade_all(const Value& value, const char* module, bool as_object) {
  if (value.is<Value::List>()) {
    Value::List list;
    for (const Value& e : value.get<Value::List>())
      list.push_back(downgrade_all(e, module, as_object));
    return list;
  }
  if (value.is<Value::Dict>() && !dict::is_object(value)) {
    Value::Dict result;
    for (const auto& [name, e] : value.get<Value::Dict>())
      result.emplace_back(name, downgrade_all(e, module, as_object));
    return result;
  }
  return downgrade_name(value, module, as_object);
}

}  // namespace

Value upgrade_compile_config(const Value::Dict& config,
                             const std::vector<std::string>& output_names) {
  Value::Dict result;
  for (const auto& [key, v] : config) {
    if (key == "optimizer")
      result.emplace_back(key, upgrade_optimizer(v));
    else if (key == "loss")
      result.emplace_back(key, upgrade_loss(v));
    else if (key == "metrics" || key == "weighted_metrics")
      result.emplace_back(key, upgrade_metrics(v, output_names));
    else
      result.emplace_back(key, v);
  }
  return result;
}

// In a training_config that was written here: the compile_config as it was. Keras passes over it.
constexpr const char* exact_key = "compile_config";

Value compile_config_of(const Value::Dict& training_config,
                        const std::vector<std::string>& output_names) {
  if (const Value::Dict* exact = find_dict(training_config, exact_key)) return *exact;
  Value::Dict config;
  for (const auto& [key, v] : training_config) {
    if (key == "optimizer_config")
      config.insert(config.begin(), {"optimizer", v});
    else if (key != "sample_weight_mode")
      config.emplace_back(key, v);
  }
  return upgrade_compile_config(config, output_names);
}

Value training_config_of(const Value::Dict& compile_config) {
  Value::Dict result;
  for (const auto& [key, v] : compile_config) {
    if (key == "optimizer") continue;
    if (key == "loss")
      result.emplace_back(key, downgrade_all(v, "keras.losses", false));
    else if (key == "metrics" || key == "weighted_metrics")
      result.emplace_back(key, downgrade_all(v, "keras.metrics", true));
    else
      result.emplace_back(key, v);
  }
  if (const Value* optimizer = compile_config.find("optimizer"))
    result.emplace_back("optimizer_config", plain_object(*optimizer));
  // Keras 3 does not find its own short names in legacy files, so what it reads has full ones.
  result.emplace_back(exact_key, compile_config);
  return result;
}

Value downgrade_model(const Value& model) {
  if (!dict::is_object(model)) return model;
  const auto& object = model.get<Value::Dict>();
  const std::string module = text(object, "module");
  const std::string registered = text(object, "registered_name");
  if (module.starts_with("keras.src.ops.")) return model;  // without its module nobody finds an op
  Value config = *object.find("config");
  const Value::List* layers =
      config.is<Value::Dict>() ? find_list(config.get<Value::Dict>(), "layers") : nullptr;
  const bool stack =
      text(object, "class_name") == "Sequential" || text(object, "class_name") == "Functional";
  if (layers && stack) {
    Value::Dict options = config.get<Value::Dict>();
    Value::List list;
    for (const Value& entry : *layers) list.push_back(downgrade_model(entry));
    set(options, "layers", std::move(list));
    config = std::move(options);
  }
  Value::Dict result{
      {"class_name",
       registered.find('>') != registered.npos ? registered : text(object, "class_name")},
      {"config", std::move(config)}};
  for (const char* key : {"name", "inbound_nodes"})
    if (const Value* v = object.find(key)) result.emplace_back(key, *v);
  return result;
}

}  // namespace cornu::saving
