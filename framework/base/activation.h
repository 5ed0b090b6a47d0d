// Activation: the option that a layer applies to its result - a name, a function, or a layer.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "../config/option_table.h"

namespace cornu {

class Layer;

namespace detail {
template <class T>
concept LayerHandle = std::is_convertible_v<T, std::shared_ptr<Layer>>;
}  // namespace detail

/// `.activation = "relu"`, `activations::relu`, a layer such as `layers::LeakyReLU()`, or any
/// function of a tensor.
/// Names and layers can be saved; name a function of your own with register_activation. A layer
/// becomes part of the layer that applies it, under the option's name.
class Activation {
 public:
  using Function = std::function<Tensor(const Tensor&)>;  ///< elementwise or not, of any shape
  /// "linear": the identity.
  Activation() = default;
  Activation(std::nullopt_t) {}  ///< the identity, as None in Keras
  /// Throws ValueError with a did-you-mean when the name is not known.
  Activation(const char* name) : Activation(std::string(name)) {}
  /// The same for a string.
  Activation(const std::string& name);
  /// Any function of a tensor. It has no name, so a layer that uses it cannot be saved.
  template <class F>
  requires(std::is_invocable_r_v<Tensor, F&, const Tensor&> && !std::is_same_v<F, Activation> &&
           !detail::LayerHandle<F>) Activation(F function)
      : name_(), function_(std::move(function)) {}
  /// A C++ function. Keras's, `activations::relu` and its like, have their names and defaults, as
  /// in Keras. Throws ValueError for another one that takes more than a tensor.
  template <class... A>
  Activation(Tensor (*function)(const Tensor&, A...)) {
    const auto address = reinterpret_cast<void (*)()>(function);
    if constexpr (sizeof...(A) == 0)
      set_function(address, function);
    else
      set_function(address, nullptr);
  }
  /// Throws ValueError for null.
  Activation(std::shared_ptr<Layer> layer);
  /// The same for a layer's handle, such as layers::LeakyReLU().
  template <detail::LayerHandle T>
  Activation(const T& layer) : Activation(std::shared_ptr<Layer>(layer)) {}

  Tensor operator()(const Tensor& x) const;      ///< applies it
  bool is_linear() const { return !function_; }  ///< whether it is the identity
  /// Empty for a layer, and for a function without a name.
  const std::string& name() const { return name_; }
  /// Whether it is one of Keras's functions, none of the user's and no layer.
  bool is_builtin() const { return !name_.empty() && name_.find('>') == std::string::npos; }
  /// The layer that it is, or null.
  std::shared_ptr<Layer> layer() const;

 private:
  // Keras's function of this address; else `otherwise`.
  void set_function(void (*address)(), Function otherwise);

  std::string name_ = "linear";
  Function function_;
};

/// Makes a function known under "package>name", in files too.
void register_activation(const std::string& registered_name, Activation::Function function);

namespace detail {
template <>
struct OptionCodec<Activation> {
  static Value encode(const Activation& v);
  static Activation decode(const Value& v);
};
extern template struct ErasedOption<Activation>;
}  // namespace detail

}  // namespace cornu
