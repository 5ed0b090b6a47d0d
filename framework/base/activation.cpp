// The activations by name.
#include "activation.h"

#include <fmt/core.h>

#include <map>
#include <mutex>

#include "../config/configurable.h"
#include "../config/copy_scope.h"
#include "../ops/numpy/arithmetic.h"
#include "../ops/operators.h"
#include "activations.h"
#include "layer.h"
#include "remat_scope.h"

namespace cornu {
namespace {

using Table = std::map<std::string, Activation::Function>;

// The hard_sigmoid of Keras 2. Files name it as hard_sigmoid with a version: Keras 3 passes over
// that and computes its own.
constexpr const char* keras2_hard_sigmoid = "keras2>hard_sigmoid";
constexpr const char* version_key = "version";

const Table& builtin() {
  static const Table table = {
      {"relu", [](const Tensor& x) { return ops::relu(x); }},
      {"sigmoid", [](const Tensor& x) { return ops::sigmoid(x); }},
      {"tanh", [](const Tensor& x) { return ops::tanh(x); }},
      {"softmax", [](const Tensor& x) { return ops::softmax(x); }},
      {"log_softmax", [](const Tensor& x) { return ops::log_softmax(x); }},
      {"softplus", [](const Tensor& x) { return ops::softplus(x); }},
      {"softsign", [](const Tensor& x) { return ops::softsign(x); }},
      {"relu6", [](const Tensor& x) { return ops::relu6(x); }},
      {"leaky_relu", [](const Tensor& x) { return ops::leaky_relu(x); }},
      {"elu", [](const Tensor& x) { return ops::elu(x); }},
      {"selu", [](const Tensor& x) { return ops::selu(x); }},
      {"celu", [](const Tensor& x) { return ops::celu(x); }},
      {"gelu", [](const Tensor& x) { return ops::gelu(x, false); }},
      {"glu", [](const Tensor& x) { return ops::glu(x); }},
      {"hard_shrink", [](const Tensor& x) { return ops::hard_shrink(x); }},
      {"hard_tanh", [](const Tensor& x) { return ops::hard_tanh(x); }},
      {"soft_shrink", [](const Tensor& x) { return ops::soft_shrink(x); }},
      {"sparse_plus", [](const Tensor& x) { return ops::sparse_plus(x); }},
      {"sparse_sigmoid", [](const Tensor& x) { return ops::sparse_sigmoid(x); }},
      {"sparsemax", [](const Tensor& x) { return ops::sparsemax(x); }},
      {"squareplus", [](const Tensor& x) { return ops::squareplus(x); }},
      {"tanh_shrink", [](const Tensor& x) { return ops::tanh_shrink(x); }},
      {"silu", [](const Tensor& x) { return ops::silu(x); }},
      {"swish", [](const Tensor& x) { return ops::silu(x); }},
      {"mish", [](const Tensor& x) { return ops::mish(x); }},
      {"exponential", [](const Tensor& x) { return ops::exp(x); }},
      {"hard_sigmoid", [](const Tensor& x) { return ops::hard_sigmoid(x); }},
      {keras2_hard_sigmoid,
       [](const Tensor& x) { return ops::clip(x * Tensor(0.2) + Tensor(0.5), 0.0, 1.0); }},
      {"hard_silu", [](const Tensor& x) { return ops::hard_silu(x); }},
      {"hard_swish", [](const Tensor& x) { return ops::hard_silu(x); }},
      {"log_sigmoid", [](const Tensor& x) { return ops::log_sigmoid(x); }},
  };
  return table;
}

using Address = void (*)();

// The names of Keras's functions by their addresses.
const std::vector<std::pair<Address, const char*>>& addresses() {
  const auto entry = []<class... A>(Tensor (*function)(const Tensor&, A...), const char* name) {
    return std::pair(reinterpret_cast<Address>(function), name);
  };
  static const std::vector<std::pair<Address, const char*>> list = {
      entry(&activations::relu, "relu"),
      entry(&ops::relu, "relu"),
      entry(&activations::sigmoid, "sigmoid"),
      entry(&activations::tanh, "tanh"),
      entry(&activations::softmax, "softmax"),
      entry(&activations::log_softmax, "log_softmax"),
      entry(&activations::softplus, "softplus"),
      entry(&activations::softsign, "softsign"),
      entry(&activations::relu6, "relu6"),
      entry(&activations::leaky_relu, "leaky_relu"),
      entry(&activations::elu, "elu"),
      entry(&activations::selu, "selu"),
      entry(&activations::celu, "celu"),
      entry(&activations::gelu, "gelu"),
      entry(&activations::glu, "glu"),
      entry(&activations::hard_shrink, "hard_shrink"),
      entry(&activations::hard_tanh, "hard_tanh"),
      entry(&activations::soft_shrink, "soft_shrink"),
      entry(&activations::sparse_plus, "sparse_plus"),
      entry(&activations::sparse_sigmoid, "sparse_sigmoid"),
      entry(&activations::sparsemax, "sparsemax"),
      entry(&activations::squareplus, "squareplus"),
      entry(&activations::tanh_shrink, "tanh_shrink"),
      entry(&activations::silu, "silu"),
      entry(&activations::swish, "silu"),
      entry(&activations::mish, "mish"),
      entry(&activations::exponential, "exponential"),
      entry(&activations::hard_sigmoid, "hard_sigmoid"),
      entry(&activations::hard_silu, "hard_silu"),
      entry(&activations::hard_swish, "hard_silu"),
      entry(&activations::log_sigmoid, "log_sigmoid"),
      entry(&activations::linear, "linear"),
  };
  return list;
}

// A layer as a function.
struct LayerCall {
  std::shared_ptr<Layer> layer;
  Tensor operator()(const Tensor& x) const { return (*layer)(x); }
};

std::mutex mutex;

Table& custom() {
  static auto* table = new Table;
  return *table;
}

}  // namespace

Tensor Activation::operator()(const Tensor& x) const {
  if (!function_) return x;
  if (Layer* layer = detail::rematerializing_activations(); layer && x.is_eager())
    return detail::run_rematerialized(
               *layer, x, [f = function_](const Nest& in) { return Nest(f(in.tensor())); })
        .tensor();
  return function_(x);
}

Activation::Activation(const std::string& name) : name_(name) {
  if (name == "linear") return;
  if (const auto found = builtin().find(name); found != builtin().end()) {
    function_ = found->second;
    return;
  }
  const std::lock_guard lock(mutex);
  if (const auto found = custom().find(name); found != custom().end()) {
    function_ = found->second;
    return;
  }
  std::vector<std::string> known = {"linear"};
  for (const auto& [n, f] : builtin()) known.push_back(n);
  for (const auto& [n, f] : custom()) known.push_back(n);
  throw ValueError(
      fmt::format("activation '{}' is not known.{} One of your own is made known with "
                  "register_activation(\"package>name\", function).",
                  name, did_you_mean(name, known)));
}

void Activation::set_function(void (*address)(), Function otherwise) {
  for (const auto& [known, name] : addresses()) {
    if (known != address) continue;
    *this = Activation(name);
    return;
  }
  if (!otherwise)
    throw ValueError(
        "activation: this function takes more than a tensor, and is none of cornu::activations. "
        "Give a lambda that calls it: [](const Tensor& x) { return function(x, ...); }");
  name_.clear();
  function_ = std::move(otherwise);
}

Activation::Activation(std::shared_ptr<Layer> layer) : name_() {
  if (!layer) throw ValueError("activation: the handle holds no layer.");
  function_ = LayerCall{std::move(layer)};
}

std::shared_ptr<Layer> Activation::layer() const {
  const auto* call = function_.target<LayerCall>();
  return call ? call->layer : nullptr;
}

void register_activation(const std::string& registered_name, Activation::Function function) {
  const size_t arrow = registered_name.find('>');
  if (arrow == std::string::npos || arrow == 0 || arrow + 1 == registered_name.size())
    throw ValueError(fmt::format("register_activation: '{}' is not of the form \"package>name\".",
                                 registered_name));
  const std::lock_guard lock(mutex);
  custom()[registered_name] = std::move(function);
}

namespace detail {

Value OptionCodec<Activation>::encode(const Activation& v) {
  if (const auto layer = v.layer()) return serialize(*layer);
  if (v.name().empty()) {
    if (auto copied = describe_copied(v)) return *std::move(copied);
    throw StateError(
        "This activation is a function without a name, so it cannot be saved. Name it with "
        "register_activation(\"package>name\", function) and use that name.");
  }
  if (v.name().find('>') == std::string::npos) return v.name();
  const bool keras2 = v.name() == keras2_hard_sigmoid;
  auto function = function_value(keras2 ? "hard_sigmoid" : v.name()).get<Value::Dict>();
  if (keras2) function.emplace_back(version_key, 2);
  return function;
}

Activation OptionCodec<Activation>::decode(const Value& v) {
  if (v.is_null()) return {};
  if (v.is<std::string>()) return Activation(v.get<std::string>());
  if (v.is<Value::Dict>()) {
    if (const std::any function = copied_function(v); function.has_value())
      return std::any_cast<Activation>(function);
    if (const std::string* name = function_name(v)) {
      const Value* version = find(v.get<Value::Dict>(), version_key);
      const bool keras2 = version && version->is<int64_t>() && version->get<int64_t>() == 2 &&
                          *name == "hard_sigmoid";
      return Activation(keras2 ? keras2_hard_sigmoid : *name);
    }
    if (auto layer = std::dynamic_pointer_cast<Layer>(deserialize(v)))
      return Activation(std::move(layer));
    throw UnsupportedError(
        "an activation that is neither a function nor a layer is not supported.");
  }
  throw ValueError("expected the name of an activation, found " + v.kind());
}

}  // namespace detail
template struct detail::ErasedOption<Activation>;

}  // namespace cornu
