// StatelessScope: variables as arguments and results instead of state.
#pragma once
#include <initializer_list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "variable.h"

namespace cornu {

/// Values of variables, in their order, for stateless calls: tensors, or what variables hold now.
class StateValues {
 public:
  StateValues(std::vector<Tensor> values) : values_(std::move(values)) {}  ///< these
  /// The variables' present values.
  StateValues(const std::vector<Variable>& variables);
  /// These in braces.
  StateValues(std::initializer_list<Tensor> values) : values_(values) {}
  const std::vector<Tensor>& tensors() const { return values_; }  ///< in order

 private:
  std::vector<Tensor> values_;
};

/// While one lives, the variables given to it have the given values on this thread, and what is
/// assigned to variables stays in it: the variables themselves do not change, so a computation on
/// them is a function of values. Gradients with respect to the given tensors go through it. Scopes
/// nest; only the innermost counts.
///
///   StatelessScope scope({{dense->kernel, kernel}});
///   const Tensor y = dense(x);
class StatelessScope {
 public:
  /// Variables with their values.
  using Mapping = std::vector<std::pair<Variable, Tensor>>;

  /// Throws ShapeError naming the variable for a value of another shape; dtypes are converted.
  explicit StatelessScope(const Mapping& state_mapping = {});
  /// The same for variables and values in the same order. Throws ValueError that names `what` is
  /// given unless there is a value for each.
  StatelessScope(const std::vector<Variable>& variables, const StateValues& values,
                 const char* what);
  ~StatelessScope();
  StatelessScope(const StatelessScope&) = delete;

  /// add_update for each of the variables. Throws likewise, and ValueError as the constructor.
  void add_updates(const std::vector<Variable>& variables, const StateValues& values,
                   const char* what);
  /// Gives a variable this value from now on. Throws ShapeError as the constructor does.
  void add_update(const Variable& variable, const Tensor& value);
  /// The value that was given or assigned last; an empty tensor where there was none.
  Tensor get_current_value(const Variable& variable) const;
  /// What the variables hold inside: values of the scope, else their own.
  std::vector<Tensor> values_of(const std::vector<Variable>& variables) const;

  /// Whether one lives on this thread: compiled functions then run operation by operation, since
  /// plans work on the variables themselves.
  static bool active();

 private:
  friend class Variable;
  std::unordered_map<uint64_t, Tensor> values_;  // by the variable's key
  StatelessScope* outer_;
};

}  // namespace cornu
