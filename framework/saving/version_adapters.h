// Configs as older Keras wrote them, made into what Keras 3 writes.
#pragma once
#include <string>
#include <vector>

#include "../dispatch/value.h"

namespace cornu::saving {

/// A model's object {class_name, config, ...} from any form of JSON that Keras 2 or 3 writes, as
/// Keras 3 has it in a ".keras" file: every object with its module, graphs with args and kwargs,
/// today's names of arguments and classes. What needs no change stays as it is. Throws ValueError
/// and UnsupportedError that name the layer.
Value upgrade_model(const Value& model);

/// A compile_config with today's names; `output_names` are those of a model with several outputs.
Value upgrade_compile_config(const Value::Dict& config,
                             const std::vector<std::string>& output_names);

/// The compile_config of a legacy file's training_config.
Value compile_config_of(const Value::Dict& training_config,
                        const std::vector<std::string>& output_names);

/// The names of the outputs of an upgraded Functional; empty for other models.
std::vector<std::string> output_names_of(const Value& model);

/// A model's object as legacy ".h5" files hold it: layers without module, custom classes as
/// "package>Name".
Value downgrade_model(const Value& model);

/// training_config of a legacy file from a compile_config.
Value training_config_of(const Value::Dict& compile_config);

/// Whether a file's keras_version is that of a Keras before 3.
bool is_keras2(const std::string& version);
/// A config of Keras 2 that keeps computing the hard_sigmoid of Keras 2: each is marked.
Value keep_keras2_activations(const Value& model);
/// Warns, once, that Keras 3 will compute something else, if the config has one of those.
void warn_of_keras2_activations(const Value& model, const std::string& name);

}  // namespace cornu::saving
