// Activation: the option that a layer applies to its result - a name, a function, or a layer.
#pragma once
#include <functional>
#include <string>

#include "../config/option.h"

namespace cornu {

/// `.activation = "relu"`, or any function of a tensor. Only named ones can be saved; name one of your own with
/// register_activation.
class Activation {
 public:
  using Function = std::function<Tensor(const Tensor&)>;
  /// "linear": the identity.
  Activation() = default;
  Activation(std::nullopt_t) {}
  /// Throws ValueError with a did-you-mean when the name is not known.
  Activation(const char* name) : Activation(std::string(name)) {}
  Activation(const std::string& name);
  template <class F>
    requires(std::is_invocable_r_v<Tensor, F&, const Tensor&> && !std::is_same_v<F, Activation>)
  Activation(F function) : name_(), function_(std::move(function)) {}

  Tensor operator()(const Tensor& x) const { return function_ ? function_(x) : x; }
  bool is_linear() const { return !function_; }
  /// Empty for a function without a name.
  const std::string& name() const { return name_; }

 private:
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
}  // namespace detail

}  // namespace cornu
