// What the language models share.
#include "backbone.h"

#include "../../framework/initializers/random_normal.h"
#include "../../framework/ops/nn/activations.h"

namespace cornu::applications {

Choice<Initializer> normal(double stddev) { return initializers::RandomNormal({.stddev = stddev}); }

cornu::Activation gelu_approximate() {
  static const bool known = [] {
    register_activation("keras_hub>gelu_approximate",
                        [](const Tensor& x) { return ops::gelu(x, true); });
    return true;
  }();
  static_cast<void>(known);
  return "keras_hub>gelu_approximate";
}

Value::Dict head_config(const Model& model, const Functional& backbone) {
  return {{"backbone", serialize(backbone)}, {"preprocessor", Value()}, {"name", model.name()}};
}

Value::Dict head_options(const Value::Dict& dict) {
  const Value* backbone = cornu::detail::find(dict, "backbone");
  if (!backbone || !backbone->is<Value::Dict>()) return dict;
  const Value* inner = cornu::detail::find(backbone->get<Value::Dict>(), "config");
  if (!inner || !inner->is<Value::Dict>()) return dict;
  Value::Dict options;
  for (const auto& [key, value] : inner->get<Value::Dict>())
    if (key != "name") options.emplace_back(key, value);
  if (const Value* name = cornu::detail::find(dict, "name")) options.emplace_back("name", *name);
  return options;
}

}  // namespace cornu::applications
