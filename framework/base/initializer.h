// Initializer, Regularizer, Constraint: how a weight begins, what it costs, and what it may be.
#pragma once
#include "../config/configurable.h"
#include "../config/option_table.h"

namespace cornu {

/// Makes the first value of a weight. Built-in ones are in cornu::initializers.
class Initializer : public Configurable {
 public:
  static constexpr const char* module = "keras.initializers";  ///< where names are looked up
  /// A tensor of this shape and dtype. Throws what the class says for shapes that it cannot fill.
  virtual Tensor operator()(const Shape& shape, DType dtype) = 0;
};

/// A penalty on a weight (or an output) that is added to the loss; a scalar. Built-in:
/// cornu::regularizers.
class Regularizer : public Configurable {
 public:
  static constexpr const char* module = "keras.regularizers";  ///< where names are looked up
  /// The penalty on x, a scalar.
  virtual Tensor operator()(const Tensor& x) = 0;
};

/// Maps a weight to an allowed one after each training step. Built-in: cornu::constraints.
class Constraint : public Configurable {
 public:
  static constexpr const char* module = "keras.constraints";  ///< where names are looked up
  /// The value that takes the place of x; it has x's shape and dtype.
  virtual Tensor operator()(const Tensor& x) = 0;
};

namespace detail {
extern template struct ErasedOption<Choice<Initializer>>;
extern template struct ErasedOption<Choice<Regularizer>>;
extern template struct ErasedOption<Choice<Constraint>>;
}  // namespace detail

}  // namespace cornu
