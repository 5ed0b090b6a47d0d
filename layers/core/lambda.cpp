// Functions as layers, by name.
#include "lambda.h"

#include <fmt/core.h>

#include <map>
#include <mutex>

#include "../../framework/config/copy_scope.h"

namespace cornu::layers {
namespace {

std::mutex mutex;

std::map<std::string, LambdaFunction>& functions() {
  static auto* table = new std::map<std::string, LambdaFunction>;
  return *table;
}

}  // namespace

LambdaFunction::LambdaFunction(const std::string& name) : name_(name) {
  std::vector<std::string> known;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = functions().find(name); found != functions().end()) {
      function_ = found->second.function_;
      return;
    }
    for (const auto& [n, f] : functions()) known.push_back(n);
  }
  try {
    const cornu::Activation activation(name);
    function_ = [activation](const Nest& x, const Call&) -> Nest { return activation(x.tensor()); };
  } catch (const ValueError&) {
    throw ValueError(
        fmt::format("the function '{}' is not known.{} Make its C++ equivalent known before with "
                    "layers::register_function(\"{}\", function).",
                    name, did_you_mean(name, known), name));
  }
}

void register_function(const std::string& registered_name, LambdaFunction function) {
  if (registered_name.empty())
    throw ValueError("register_function: the name is empty. Use \"package>name\".");
  const std::lock_guard lock(mutex);
  functions().insert_or_assign(registered_name, std::move(function));
}

Nest LambdaLayer::call_many(const Nest& inputs, const Call& call) {
  Call with_arguments = call;
  if (config.arguments.is<Value::Dict>())
    for (const auto& argument : config.arguments.get<Value::Dict>())
      if (!call.find(argument.first)) with_arguments.extra.push_back(argument);
  return (*config.function)(inputs, with_arguments);
}

Value::Dict LambdaLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  std::erase_if(dict, [](const auto& entry) {
    return entry.first == "output_shape" && entry.second.is_null();
  });
  return dict;
}

std::shared_ptr<LambdaLayer> LambdaLayer::from_config(const Value::Dict& dict) {
  Value::Dict used = without_nulls(without_unused(dict, {"mask"}), {"arguments"});
  try {
    return LayerOf::from_config(used);
  } catch (const UnsupportedError& e) {
    const Value* name = detail::find(dict, "name");
    if (!name || !name->is<std::string>()) throw;
    throw UnsupportedError(fmt::format("Lambda '{}': {}", name->get<std::string>(), e.what()));
  }
}

void register_lambda(Catalog& c) { c.add<LambdaLayer>("keras.layers.Lambda"); }

}  // namespace cornu::layers

namespace cornu::detail {

Value OptionCodec<layers::LambdaFunction>::encode(const layers::LambdaFunction& v) {
  if (v.name().empty()) {
    if (auto copied = describe_copied(v)) return *std::move(copied);
    throw StateError(
        "this Lambda's function has no name, so it cannot be saved. Make it known with "
        "layers::register_function(\"package>name\", function) and use that name.");
  }
  return Value::Dict{{"module", "builtins"},
                     {"class_name", "function"},
                     {"config", v.name()},
                     {"registered_name", "function"}};
}

layers::LambdaFunction OptionCodec<layers::LambdaFunction>::decode(const Value& v) {
  if (v.is<std::string>()) return v.get<std::string>();
  if (const std::any function = copied_function(v); function.has_value())
    return std::any_cast<layers::LambdaFunction>(function);
  if (v.is<Value::Dict>()) {
    const Value* class_name = find(v.get<Value::Dict>(), "class_name");
    const Value* config = find(v.get<Value::Dict>(), "config");
    if (class_name && class_name->is<std::string>() && config && config->is<std::string>() &&
        class_name->get<std::string>() == "function")
      return config->get<std::string>();
  }
  throw UnsupportedError(
      "its function is Python code, which Cornu does not run. Save the model in Keras with a named "
      "function that is registered by keras.saving.register_keras_serializable, and make its C++ "
      "equivalent known with layers::register_function(\"package>name\", function).");
}

}  // namespace cornu::detail

template class cornu::LayerOf<cornu::layers::LambdaLayer, cornu::layers::LambdaConfig>;
