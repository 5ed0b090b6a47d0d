// Initializer, Regularizer, Constraint: how a weight begins, what it costs, and what it may be.
#pragma once
#include <functional>

#include "../config/config.h"
#include "../config/option_table.h"

namespace cornu {

/// Makes the first value of a weight. Built-in ones are in cornu::initializers.
class Initializer : public Configurable {
 public:
  static constexpr const char* module = "keras.initializers";  ///< where names are looked up
  /// What a function must be to do as an initializer.
  using Function = std::function<Tensor(const Shape& shape, DType dtype)>;
  /// The initializer that calls a function; it cannot be saved.
  static std::shared_ptr<Initializer> of_function(Function function);
  /// A tensor of this shape and dtype. Throws what the class says for shapes that it cannot fill.
  virtual Tensor operator()(const Shape& shape, DType dtype) = 0;
};

/// Base of an initializer with options: `class Ramp : public InitializerOf<Ramp, RampConfig>`.
template <class Self, class C, class Base = Initializer>
class InitializerOf : public Configured<Self, C, Base> {
 public:
  using Configured<Self, C, Base>::Configured;
};

/// A penalty on a weight (or an output) that is added to the loss; a scalar. Built-in:
/// cornu::regularizers.
class Regularizer : public Configurable {
 public:
  static constexpr const char* module = "keras.regularizers";  ///< where names are looked up
  using Function = std::function<Tensor(const Tensor& x)>;     ///< does as a regularizer
  /// The regularizer that calls a function; it cannot be saved.
  static std::shared_ptr<Regularizer> of_function(Function function);
  /// The penalty on x, a scalar.
  virtual Tensor operator()(const Tensor& x) = 0;
};

/// Base of a regularizer with options: `class L3 : public RegularizerOf<L3, L3Config>`.
template <class Self, class C, class Base = Regularizer>
class RegularizerOf : public Configured<Self, C, Base> {
 public:
  using Configured<Self, C, Base>::Configured;
};

/// Maps a weight to an allowed one after each training step. Built-in: cornu::constraints.
class Constraint : public Configurable {
 public:
  static constexpr const char* module = "keras.constraints";  ///< where names are looked up
  using Function = std::function<Tensor(const Tensor& x)>;    ///< does as a constraint
  /// The constraint that calls a function; it cannot be saved.
  static std::shared_ptr<Constraint> of_function(Function function);
  /// The value that takes the place of x; it has x's shape and dtype.
  virtual Tensor operator()(const Tensor& x) = 0;
};

/// Base of a constraint with options: `class Bounded : public ConstraintOf<Bounded,
/// BoundedConfig>`.
template <class Self, class C, class Base = Constraint>
class ConstraintOf : public Configured<Self, C, Base> {
 public:
  using Configured<Self, C, Base>::Configured;
};

namespace detail {
extern template struct ErasedOption<Choice<Initializer>>;
extern template struct ErasedOption<Choice<Regularizer>>;
extern template struct ErasedOption<Choice<Constraint>>;
}  // namespace detail

namespace initializers {
/// The initializer of this name, or this one; null for none. Throws ValueError with a did-you-mean.
inline Choice<Initializer> get(const Choice<Initializer>& identifier) { return identifier; }
/// The initializer as {module, class_name, config, registered_name}.
inline Value serialize(const Initializer& initializer) { return cornu::serialize(initializer); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<Initializer> R>
Value serialize(const R& initializer) {
  return cornu::serialize(detail::referred<Initializer>(initializer));
}
/// The initializer that serialize described. Throws ValueError.
inline Choice<Initializer> deserialize(const Value& config) {
  return detail::OptionCodec<Choice<Initializer>>::decode(config);
}
/// Makes a function known under "package>name": `.kernel_initializer = "package>name"` calls it,
/// and files keep the name. Throws ValueError for a name of another form.
void register_function(const std::string& registered_name, Initializer::Function function);
}  // namespace initializers

namespace regularizers {
/// The regularizer of this name, or this one; null for none. Throws ValueError with a did-you-mean.
inline Choice<Regularizer> get(const Choice<Regularizer>& identifier) { return identifier; }
/// The regularizer as {module, class_name, config, registered_name}.
inline Value serialize(const Regularizer& regularizer) { return cornu::serialize(regularizer); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<Regularizer> R>
Value serialize(const R& regularizer) {
  return cornu::serialize(detail::referred<Regularizer>(regularizer));
}
/// The regularizer that serialize described. Throws ValueError.
inline Choice<Regularizer> deserialize(const Value& config) {
  return detail::OptionCodec<Choice<Regularizer>>::decode(config);
}
/// Makes a function known under "package>name": `.kernel_regularizer = "package>name"` calls it,
/// and files keep the name. Throws ValueError for a name of another form.
void register_function(const std::string& registered_name, Regularizer::Function function);
}  // namespace regularizers

namespace constraints {
/// The constraint of this name, or this one; null for none. Throws ValueError with a did-you-mean.
inline Choice<Constraint> get(const Choice<Constraint>& identifier) { return identifier; }
/// The constraint as {module, class_name, config, registered_name}.
inline Value serialize(const Constraint& constraint) { return cornu::serialize(constraint); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<Constraint> R>
Value serialize(const R& constraint) {
  return cornu::serialize(detail::referred<Constraint>(constraint));
}
/// The constraint that serialize described. Throws ValueError.
inline Choice<Constraint> deserialize(const Value& config) {
  return detail::OptionCodec<Choice<Constraint>>::decode(config);
}
/// Makes a function known under "package>name": `.kernel_constraint = "package>name"` calls it, and
/// files keep the name. Throws ValueError for a name of another form.
void register_function(const std::string& registered_name, Constraint::Function function);
}  // namespace constraints

}  // namespace cornu
