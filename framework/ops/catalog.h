// The catalog of ops: for each its Keras name, the names of its parameters, and how to call it with
// arguments that come from a file or by name.
#pragma once
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "op.h"

namespace cornu {

/// An op as Keras files know it.
struct OpInfo {
  std::string module;                   ///< "keras.src.ops.nn"
  std::string class_name;               ///< "Softmax"
  std::vector<std::string> parameters;  ///< names of the parameters, in order

  /// Which parameters are tensors: those are a node's arguments, the others its settings.
  std::vector<bool> is_tensor;
  /// Calls the function with a value for each parameter.
  std::function<Nest(const std::vector<Value>&)> call;
  /// Default of each parameter; empty where it is required.
  std::vector<std::optional<Value>> defaults;
  /// The parameter that takes all further arguments by place, as Python's *x; -1 without one.
  int rest = -1;
  /// The parameter that takes all further arguments by name, as Python's **x; -1 without one.
  int named_rest = -1;
  /// Another function of the same name, with other parameters.
  const OpInfo* overload = nullptr;
};

/// Calls an op as Python would. Arguments by place skip parameters that are no tensors and are
/// given by name. Of overloads it is the first that takes what is given and misses nothing. Throws
/// ValueError for an argument too many or missing. `settings` are further arguments by name, of
/// which those that no parameter has do not count.
Nest call_op(const OpInfo& op, const Arguments& arguments, const Value::Dict& settings = {});

/// The ops by function and by Keras name. Holds its entries for as long as it lives.
class OpCatalog {
 public:
  /// Lists a function under "nn.Softmax". `parameters` names its parameters, with defaults as in
  /// Keras: "x", "axis=-1", "keepdims=False", "dtype=None", "mode='same'", "*operands". Under a
  /// name that is listed already it is an overload.
  template <class R, class... P>
  void add(const char* keras_name, std::initializer_list<const char*> parameters,
           R (*function)(P...)) {
    insert(reinterpret_cast<detail::FunctionKey>(function), keras_name, parameters,
           {is_tensor<P>()...}, detail::of_values(function));
  }

  const OpInfo* find(detail::FunctionKey key) const;  ///< by function, or null

  /// By module and class as in a file, or null.
  const OpInfo* find(const std::string& module, const std::string& class_name) const;
  /// The names of the classes, in the order in which they are listed.
  std::vector<std::string> names() const;

 private:
  template <class P>
  static constexpr bool is_tensor() {
    using T = std::remove_cvref_t<P>;
    return std::is_same_v<T, Tensor> || std::is_same_v<T, std::vector<Tensor>> ||
           std::is_same_v<T, std::optional<Tensor>>;
  }
  void insert(detail::FunctionKey key, const char* keras_name,
              std::initializer_list<const char*> parameters, std::vector<bool> is_tensor,
              std::function<Nest(const std::vector<Value>&)> call);

  std::deque<OpInfo> ops_;
  std::unordered_map<detail::FunctionKey, const OpInfo*> by_function_;
  std::unordered_map<std::string, OpInfo*> by_name_;  ///< "keras.src.ops.nn.Softmax"
};

/// Lists every op of Cornu, from each `void list_<file>(OpCatalog&)`. Its definition is made by the
/// build (see cmake/CornuCatalog.cmake).
void list_builtin_ops(OpCatalog& catalog);

/// All ops of Cornu; filled on first use by the list of each file of ops.
const OpCatalog& op_catalog();

/// An op with its settings, as a node holds it.
class OpOperation : public Operation {
 public:
  /// The op with these settings by parameter name, named as base_name() says. Keeps a reference to
  /// `info`.
  OpOperation(const OpInfo& info, Value::Dict config);
  const std::string& name() const override { return name_; }
  void rename(const std::string& name) override { name_ = name; }
  std::string base_name() const override;
  bool is_named() const override { return named_; }
  void set_named() { named_ = true; }  ///< marks the name as the user's choice
  Nest invoke(const Arguments& arguments) override;
  const OpInfo& info() const { return info_; }  ///< the op

  /// Settings by parameter name.
  const Value::Dict& config() const { return config_; }

 private:
  const OpInfo& info_;
  Value::Dict config_;
  std::string name_;
  bool named_ = false;
};

/// "Conv2D" to "conv2d", by Keras's rule.
std::string to_snake_case(const std::string& class_name);

}  // namespace cornu
