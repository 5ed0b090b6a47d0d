// Variable: a named tensor that training changes.
#pragma once
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>

#include "../tensor/tensor.h"

namespace cornu {

/// A shared handle of a value that may be assigned to. Reading gives the current (immutable)
/// tensor, so a tensor read earlier never changes.
class Variable {
 public:
  /// Options of a variable.
  struct Options {
    std::string name = "variable";  ///< last part of `path`
    bool trainable = true;          ///< whether tapes watch it when it is read
    /// Maps a new value to an allowed one after each optimizer step; see Constraint.
    std::function<Tensor(const Tensor&)> constraint = {};
    /// Penalty added to the loss, or empty.
    std::function<Tensor(const Tensor&)> regularizer = {};
  };

  /// No variable.
  Variable() = default;
  /// A trainable variable of the value's shape and dtype, on its device.
  explicit Variable(const Tensor& value);
  /// The same with options.
  Variable(const Tensor& value, Options options);

  explicit operator bool() const { return state_ != nullptr; }  ///< whether there is a variable

  /// The current value. A tape that is open watches it when the variable is trainable.
  const Tensor& value() const;
  /// The value as an operation sees it: cast to the dtype of the innermost AutocastScope.
  operator Tensor() const;
  /// A part of that, as of a tensor: `v[0]`, `v[Slice(1, {})]`. It is assigned to as a whole.
  Tensor operator[](const Index& index) const;
  /// The same for several axes: `v[{0, Slice(1, -1)}]`.
  Tensor operator[](std::initializer_list<Index> indices) const;

  /// Replaces the value. Throws ShapeError when the shape differs; the dtype is converted, and a
  /// value on another device moves to the variable's.
  void assign(const Tensor& value) const;
  /// assign(value() + value).
  void assign_add(const Tensor& value) const;
  /// assign(value() - value).
  void assign_sub(const Tensor& value) const;
  /// @{
  /// The same of numbers in braces, a tensor of rank 1; a single one is a scalar where the variable
  /// is one: `v.assign({1, 2})`.
  template <class T>
  requires std::is_arithmetic_v<T>
  void assign(std::initializer_list<T> numbers) const { assign(listed(numbers)); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void assign_add(std::initializer_list<T> numbers) const { assign_add(listed(numbers)); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void assign_sub(std::initializer_list<T> numbers) const { assign_sub(listed(numbers)); }
  /// @}

  const std::string& name() const;  ///< see Options
  /// "sequential/dense/kernel" once the owner has been named.
  const std::string& path() const;
  void set_path(const std::string& path);  ///< of the owner and the name
  const Shape& shape() const;              ///< never changes
  DType dtype() const;                     ///< never changes
  bool trainable() const;                  ///< see Options
  void set_trainable(bool trainable);      ///< for all handles
  /// Whether an optimizer replaces the value by the gradient instead of updating it: for the scales
  /// of float8.
  bool overwrite_with_gradient() const;
  void set_overwrite_with_gradient(bool overwrite);  ///< for all handles
  const Options& options() const;                    ///< as given

  /// The value itself, unnoticed by tapes and recordings: for those who replay what was recorded.
  /// While a VariableOverlay lives on this thread, the one in there.
  Tensor& stored() const;
  /// The value as one that shares its memory but is another to a recording (see
  /// Tensor::fresh_alias).
  Tensor fresh_alias() const;

  /// Identity: two handles of one variable have the same.
  uint64_t key() const;
  friend bool operator==(const Variable& a, const Variable& b) { return a.state_ == b.state_; }

 private:
  friend class VariableOverlay;
  template <class T>
  Tensor listed(std::initializer_list<T> numbers) const {
    if (numbers.size() == 1 && shape().rank() == 0) return *numbers.begin();
    return std::vector<T>(numbers);
  }
  // The value in a StatelessScope of this thread, or null.
  const Tensor* scoped() const;
  struct State;
  std::shared_ptr<State> state_;
};

/// While one lives, what this thread assigns to variables stays between it and this thread; other
/// threads go on reading the old values. Inside another overlay it is that one.
class VariableOverlay {
 public:
  VariableOverlay();
  ~VariableOverlay();
  VariableOverlay(const VariableOverlay&) = delete;

  /// Gives the variables the values that were assigned to them. Inside another overlay that is not
  /// needed.
  void commit();

 private:
  friend class Variable;
  struct Entry {
    Variable variable;
    Tensor before, now;
  };
  Tensor& value_of(const Variable& variable);

  bool outermost_;
  std::unordered_map<uint64_t, Entry> entries_;  // by the variable's key
};

/// While one lives, variables of float type that operations read on this thread are cast to `dtype`
/// (mixed precision).
class AutocastScope {
 public:
  /// Scopes nest; the innermost counts.
  explicit AutocastScope(DType dtype);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;

 private:
  DType previous_;
  bool had_previous_;
};

}  // namespace cornu
