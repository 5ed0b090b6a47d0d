// Configs of models: config.json, a legacy file's model_config, the text of to_json.
#pragma once
#include <memory>
#include <string>

#include "../model/model.h"

namespace cornu::saving {

/// A config from its text, which `source` names in errors. Throws FileError for what is no object,
/// and for numbers and names that no config has.
Value parse_config(const std::string& text, const std::string& source);

/// The compile_config of an upgraded model's object, with today's names; null when it has none.
Value compile_config_in(const Value& model);

/// The model that an upgraded config describes, built if the config says how.
std::shared_ptr<Model> make_model(const Value& config);
/// The same. Throws FileError when the config does not say how the model is built.
std::shared_ptr<Model> make_built_model(const Value& config);

/// Compiles a model as a file says: not at all where that is null or empty.
void compile_model(Model& model, const Value& compile_config);

}  // namespace cornu::saving
