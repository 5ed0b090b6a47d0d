// Finds functions in the catalog of ops, or calls those that no graph can hold.
#include "functions.h"

#include <cornu/framework/ops/catalog.h>
#include <cornu/framework/ops/convert.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/ops/random/distributions.h>
#include <cornu/framework/ops/random/draws.h>
#include <cornu/framework/ops/random/seed.h>
#include <cornu/metrics/functions.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

namespace cornu::conformance {
namespace {

// "LogSoftmax" and "log_softmax" alike.
std::string plain(const std::string& name) {
  std::string result;
  for (const char c : name)
    if (c != '_') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Where Keras's function and the class of its node have different names.
const std::map<std::string, std::string>& class_names() {
  static const std::map<std::string, std::string> names = {
      {"batch_normalization", "BatchNorm"},
      {"layer_normalization", "LayerNorm"},
      {"rms_normalization", "RMSNorm"},
      {"hard_swish", "HardSilu"},
      {"swish", "Silu"},
      {"exponential", "Exp"},
  };
  return names;
}

// The modules of ops in which a function of a public module is.
std::vector<std::string> modules_of(const std::string& module) {
  if (module == "keras.ops") return {"numpy", "nn", "math", "core", "linalg", "einops"};
  if (module == "keras.ops.image") return {"image"};
  if (module == "keras.activations") return {"activations", "nn", "numpy"};
  return {module.substr(module.rfind('.') + 1)};
}

const OpInfo* find_op(const std::string& module, const std::string& function) {
  const auto other = class_names().find(function);
  const std::string wanted = plain(other == class_names().end() ? function : other->second);
  const std::vector<std::string> classes = op_catalog().names();
  for (const std::string& m : modules_of(module))
    for (const std::string& name : classes)
      if (plain(name) == wanted)
        if (const OpInfo* info = op_catalog().find("keras.src.ops." + m, name)) return info;
  return nullptr;
}

// Parameters of Keras's functions that have one meaningful value here, which says nothing.
bool is_idle(const std::string& parameter, const Value& v) {
  const bool no = v.is_null() || (v.is<bool>() && !v.get<bool>());
  return no && (parameter == "sparse" || parameter == "ragged");
}

bool has_parameter(const OpInfo& op, const std::string& name) {
  for (const OpInfo* info = &op; info; info = info->overload)
    if (std::find(info->parameters.begin(), info->parameters.end(), name) != info->parameters.end())
      return true;
  return false;
}

Value call_listed(const OpInfo& op, Arguments arguments) {
  std::erase_if(arguments.named, [&](const auto& argument) {
    return !has_parameter(op, argument.first) && is_idle(argument.first, argument.second);
  });
  return Value(call_op(op, arguments));
}

// The arguments of a function by the names of its parameters.
class Named {
 public:
  Named(const Arguments& arguments, std::initializer_list<const char*> parameters) {
    auto parameter = parameters.begin();
    for (const Value& v : arguments.positional) {
      if (parameter == parameters.end()) throw ValueError("found too many arguments");
      values_.emplace(*parameter++, v);
    }
    for (const auto& [key, v] : arguments.named) {
      if (std::find(parameters.begin(), parameters.end(), key) == parameters.end())
        throw ValueError("has no parameter '" + key + "'");
      values_[key] = v;
    }
  }
  template <class T>
  T get(const char* name) const {
    const auto v = values_.find(name);
    if (v == values_.end()) throw ValueError(fmt::format("argument '{}' is missing", name));
    return detail::from_value<T>(v->second);
  }
  template <class T>
  T get(const char* name, T otherwise) const {
    const auto v = values_.find(name);
    return v == values_.end() || v->second.is_null() ? otherwise : detail::from_value<T>(v->second);
  }

 private:
  std::map<std::string, Value> values_;
};

// What no graph can hold.
std::optional<Value> call_direct(const std::string& name, const Arguments& arguments) {
  if (name == "keras.ops.shape") return Value(ops::shape(Named(arguments, {"x"}).get<Tensor>("x")));
  if (name == "keras.ops.ndim") return Value(ops::ndim(Named(arguments, {"x"}).get<Tensor>("x")));
  if (name == "keras.ops.dtype") return Value(ops::dtype(Named(arguments, {"x"}).get<Tensor>("x")));
  if (name == "keras.random.normal") {
    const Named named(arguments, {"shape", "mean", "stddev", "dtype", "seed"});
    return Value(random::normal(named.get<Shape>("shape"), named.get("mean", 0.0),
                                named.get("stddev", 1.0), random::default_seed(),
                                named.get("dtype", DType::float32)));
  }
  if (name == "keras.random.uniform") {
    const Named named(arguments, {"shape", "minval", "maxval", "dtype", "seed"});
    return Value(random::uniform(named.get<Shape>("shape"), named.get("minval", 0.0),
                                 named.get("maxval", 1.0), random::default_seed(),
                                 named.get("dtype", DType::float32)));
  }
  if (name == "keras.random.truncated_normal") {
    const Named named(arguments, {"shape", "mean", "stddev", "dtype", "seed"});
    return Value(random::truncated_normal(named.get<Shape>("shape"), named.get("mean", 0.0),
                                          named.get("stddev", 1.0), random::default_seed(),
                                          named.get("dtype", DType::float32)));
  }
  if (name == "keras.random.randint") {
    const Named named(arguments, {"shape", "minval", "maxval", "dtype", "seed"});
    return Value(random::randint(named.get<Shape>("shape"), named.get<int64_t>("minval"),
                                 named.get<int64_t>("maxval"), random::default_seed(),
                                 named.get("dtype", DType::int32)));
  }
  if (name == "keras.random.dropout") {
    const Named named(arguments, {"inputs", "rate", "noise_shape", "seed"});
    return Value(random::dropout(named.get<Tensor>("inputs"), named.get<double>("rate"),
                                 random::default_seed(),
                                 named.get("noise_shape", std::optional<Shape>())));
  }
  if (name == "keras.random.shuffle") {
    const Named named(arguments, {"x", "axis", "seed"});
    return Value(random::shuffle(named.get<Tensor>("x"), Seed(random::default_seed()),
                                 named.get<int64_t>("axis", 0)));
  }
  if (name == "keras.random.gamma") {
    const Named named(arguments, {"shape", "alpha", "dtype", "seed"});
    return Value(random::gamma(named.get<Shape>("shape"), named.get<Tensor>("alpha"),
                               random::default_seed(), named.get("dtype", DType::float32)));
  }
  if (name == "keras.random.beta") {
    const Named named(arguments, {"shape", "alpha", "beta", "dtype", "seed"});
    return Value(random::beta(named.get<Shape>("shape"), named.get<Tensor>("alpha"),
                              named.get<Tensor>("beta"), random::default_seed(),
                              named.get("dtype", DType::float32)));
  }
  return std::nullopt;
}

Value call_loss(const std::string& function, const Arguments& arguments) {
  Arguments rest = arguments;
  auto take = [&](const char* name, size_t place) {
    if (place < arguments.positional.size())
      return detail::from_value<Tensor>(arguments.positional[place]);
    for (const auto& [key, v] : arguments.named)
      if (key == name) return detail::from_value<Tensor>(v);
    throw ValueError(fmt::format("argument '{}' is missing", name));
  };
  const Tensor y_true = take("y_true", 0), y_pred = take("y_pred", 1);
  std::erase_if(rest.named, [](const auto& entry) {
    return entry.first == "y_true" || entry.first == "y_pred";
  });
  return Value(metrics::evaluate(function, y_true, y_pred, rest.named));
}

}  // namespace

Value call_function(const std::string& name, const Arguments& arguments) {
  const size_t dot = name.rfind('.');
  const std::string module = name.substr(0, dot), function = name.substr(dot + 1);
  if (module == "keras.losses" || module == "keras.metrics") return call_loss(function, arguments);
  if (const OpInfo* info = find_op(module, function)) return call_listed(*info, arguments);
  if (std::optional<Value> result = call_direct(name, arguments)) return *result;
  throw ValueError("there is no function '" + name + "'");
}

}  // namespace cornu::conformance
