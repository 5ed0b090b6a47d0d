// Lambda: a function of one's own as a layer.
#pragma once
#include "../../framework/tensor/first_argument.h"
#include "../layer_options.h"

namespace cornu::layers {

/// A function as an option: a C++ function, or the name of one that register_function or
/// register_activation made known, or of an activation. Only named ones can be saved.
class LambdaFunction {
 public:
  /// Its form: the call's inputs and arguments -> outputs.
  using Function = std::function<Nest(const Nest& inputs, const Call& call)>;
  /// Throws ValueError when the name is not known.
  LambdaFunction(const char* name) : LambdaFunction(std::string(name)) {}
  LambdaFunction(const std::string& name);  ///< the same

  /// A function of all inputs and of the call's arguments. It has no name.
  template <class F>
  requires(std::is_invocable_r_v<Nest, F&, const Nest&, const Call&> &&
           !std::is_same_v<F, LambdaFunction>) LambdaFunction(F function)
      : function_(std::move(function)) {}
  /// A function of all inputs alone: `[](const Nest& x) { return x[0].tensor() + x[1].tensor(); }`.
  /// It has no name.
  template <detail::TakesNest F>
  requires(std::is_invocable_r_v<Nest, F&, const Nest&> &&
           !std::is_invocable_v<F&, const Nest&, const Call&>) LambdaFunction(F function)
      : function_([f = std::move(function)](const Nest& x, const Call&) -> Nest { return f(x); }) {}
  /// A function of all inputs as a list, of a dictionary's in the order of its sorted keys:
  /// `[](const std::vector<Tensor>& x) { return x[0] * x[1]; }`. It has no name.
  template <detail::TakesTensors F>
  requires(std::is_invocable_r_v<Nest, F&, const std::vector<Tensor>&>) LambdaFunction(F function)
      : function_([f = std::move(function)](const Nest& x, const Call&) -> Nest {
          return f(x.flatten());
        }) {}
  /// A function of a single tensor. It has no name.
  template <class F>
  requires(!detail::TakesNest<F> && !detail::TakesTensors<F> &&
           std::is_invocable_r_v<Tensor, F&, const Tensor&> &&
           !std::is_invocable_v<F&, const Nest&, const Call&> && !std::is_same_v<F, LambdaFunction>)
      LambdaFunction(F function)
      : function_([f = std::move(function)](const Nest& x, const Call&) -> Nest {
          return f(x.tensor());
        }) {}

  /// Calls the function.
  Nest operator()(const Nest& inputs, const Call& call) const { return function_(inputs, call); }
  /// Empty for a function without a name.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  Function function_;
};

/// Makes a function known to Lambda under "package>name", in files too: the C++ equivalent of the
/// Python function that was registered under that name. The layer's `arguments` are in
/// `call.extra`.
void register_function(const std::string& registered_name, LambdaFunction function);

}  // namespace cornu::layers

namespace cornu::detail {

template <>
struct OptionCodec<layers::LambdaFunction> {
  static Value encode(const layers::LambdaFunction& v);
  static layers::LambdaFunction decode(const Value& v);
};

}  // namespace cornu::detail

namespace cornu::layers {

/// Options of Lambda, as in Keras.
struct LambdaConfig {
  Required<LambdaFunction> function;  ///< function of the inputs, or the name of one
  Value output_shape = {};            ///< of no effect: shapes come from running the function
  Value arguments = Value::Dict();    ///< dictionary of further arguments of the function
  CORNU_LAYER_OPTIONS;

  /// By their places: `Lambda([](const Tensor& x) { return x * 2; })`.
  static LambdaConfig positional(const LambdaFunction& function, const Value& output_shape = {}) {
    return {.function = function, .output_shape = output_shape};
  }
};

/// function(inputs). Python code in a file is never run: a file's Lambda needs a function that is
/// registered under the name which the file says, else the error says how.
class LambdaLayer : public LayerOf<LambdaLayer, LambdaConfig> {
 public:
  using LayerOf::LayerOf;
  Nest call_many(const Nest& inputs, const Call& call) override;
  /// All: they are the function's.
  std::optional<std::vector<std::string>> argument_names() const override { return {}; }
  std::vector<std::string> positional_arguments() const override { return {"mask", "training"}; }
  bool uses_mask() const override { return true; }
  Value::Dict get_config() const override;
  /// As LayerOf's, with the layer's name in errors; throws UnsupportedError where `mask` has a
  /// value.
  static std::shared_ptr<LambdaLayer> from_config(const Value::Dict& dict);
};

using Lambda = Ref<LambdaLayer>;  ///< a shared LambdaLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LambdaLayer, layers::LambdaConfig>;
}
