// VariableStore: the arrays that a file keeps of one object.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../dispatch/variable.h"

namespace cornu {

/// Arrays by name. Keras's objects number theirs: "0", "1", ...
class VariableStore {
 public:
  VariableStore() = default;  ///< an empty one, to be filled
  virtual ~VariableStore() = default;

  /// Keeps an array under this name, in the place of one that has it already.
  void set(const std::string& name, const Tensor& value);
  /// The array of this name. Throws ValueError with the names that there are.
  virtual Tensor get(const std::string& name) const;
  /// The same.
  Tensor operator[](const std::string& name) const { return get(name); }
  /// Whether there is an array of this name.
  bool contains(const std::string& name) const;
  /// All names, in the order in which they came.
  virtual std::vector<std::string> keys() const;
  size_t size() const { return keys().size(); }  ///< number of arrays

  /// Keeps the values of the variables, under the numbers that follow those that there are.
  void set_all(const std::vector<Variable>& variables);
  /// Assigns the arrays "0", "1", ... to the variables, then calls `then`. A single array may have
  /// its variable's name instead. Throws ValueError when their number differs from that of the
  /// arrays, ShapeError naming the variable whose shape does.
  virtual void assign_to(const std::vector<Variable>& variables,
                         const std::function<void()>& then = {}) const;

 private:
  std::vector<std::pair<std::string, Tensor>> values_;
};

}  // namespace cornu
