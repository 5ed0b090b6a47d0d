// Configs of models: reading them, and making what they describe.
#include "model_config.h"

#include <fmt/core.h>

#include <cmath>

#include "../../backend/log.h"
#include "../config/json.h"
#include "../config/loading.h"
#include "dict.h"
#include "version_adapters.h"

namespace cornu::saving {
namespace {

// NaN and infinities are no layer's option; in a graph's calls and constants they may stand. Names
// have no NUL.
void refuse_odd_values(const Value& value, const std::string& where) {
  if (value.is<double>() && !std::isfinite(value.get<double>()))
    throw FileError(
        fmt::format("the config holds NaN or Infinity as {}, which no option may be.", where));
  if (value.is<Value::List>())
    for (const Value& e : value.get<Value::List>()) refuse_odd_values(e, where);
  if (!value.is<Value::Dict>()) return;
  const auto& d = value.get<Value::Dict>();
  const std::string class_name = dict::text(d, "class_name");
  if (class_name == "__numpy__" || class_name == "__tensor__" ||
      dict::text(d, "module").starts_with("keras.src.ops."))
    return;
  const Value::Dict* config = dict::find_dict(d, "config");
  const std::string name = config ? dict::text(*config, "name") : "";
  for (const auto& [key, e] : d) {
    // HDF5 would cut a name there and find another object; error texts end there.
    const bool names =
        key == "name" || key == "class_name" || key == "module" || key == "registered_name";
    if (names && e.is<std::string>() && e.get<std::string>().find('\0') != std::string::npos)
      throw FileError("the config holds a name with a NUL character in it.");
    if (key != "inbound_nodes")
      refuse_odd_values(
          e, name.empty() ? fmt::format("'{}'", key) : fmt::format("'{}' of '{}'", key, name));
  }
}

}  // namespace

Value parse_config(const std::string& text, const std::string& source) {
  const Value value = parse_json(text, source, NonNumbers::allow);
  if (!value.is<Value::Dict>())
    throw FileError(fmt::format("{}: expected an object that describes a model, found {}.", source,
                                value.kind()));
  refuse_odd_values(value, "a value");
  return value;
}

Value compile_config_in(const Value& model) {
  const Value* config = model.get<Value::Dict>().find("compile_config");
  if (!config || !config->is<Value::Dict>()) return {};
  return upgrade_compile_config(config->get<Value::Dict>(), output_names_of(model));
}

std::shared_ptr<Model> make_model(const Value& config) {
  const SharedObjectsScope objects(SharedObjectsScope::Mode::reading);
  auto model = std::dynamic_pointer_cast<Model>(deserialize(config));
  if (!model) throw FileError("the config describes no model.");
  if (const Value::Dict* build = dict::find_dict(config.get<Value::Dict>(), "build_config");
      build && !model->built())
    model->build_from_config(*build);
  return model;
}

std::shared_ptr<Model> make_built_model(const Value& config) {
  auto model = make_model(config);
  if (!model->built())
    throw FileError(
        "the file does not say the shape of the model's input, so its weights cannot be made.");
  return model;
}

void compile_model(Model& model, const Value& config) {
  // Keras writes {} for a model that was not compiled.
  if (!config.is<Value::Dict>() || config.get<Value::Dict>().empty()) return;
  try {
    const auto& options = config.get<Value::Dict>();
    if (const Value* optimizer = options.find("optimizer"); !optimizer || optimizer->is_null())
      warn_once(fmt::format("Model '{}': its file names no optimizer; it is compiled with RMSprop.",
                            model.name()));
    model.compile_from_config(options);
  } catch (const Error& e) {
    throw FileError(
        fmt::format("the compile_config cannot be used: {} Without it, the model can be loaded by "
                    "load_model(path, false).",
                    e.what()));
  }
}

}  // namespace cornu::saving
