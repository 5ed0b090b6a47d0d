// The catalog of ops: for each its Keras name, the names of its parameters, and how to call it with
// arguments that come from a file or by name.
#pragma once
#include <string>
#include <vector>

#include "op.h"

namespace cornu {

/// An op as Keras files know it.
struct OpInfo {
  std::string module;      ///< "keras.src.ops.nn"
  std::string class_name;  ///< "Softmax"
  std::vector<std::string> parameters;
  /// Which parameters are tensors: those are a node's arguments, the others its settings.
  std::vector<bool> is_tensor;
  /// Calls the function; missing trailing arguments take the defaults in `defaults`.
  std::function<Nest(const std::vector<Value>&)> call;
  /// Default of each parameter; empty where it is required.
  std::vector<std::optional<Value>> defaults;
};

class OpCatalog {
 public:
  /// Lists a function under "nn.Softmax". `parameters` names its parameters, with defaults as in
  /// Keras: "x", "axis=-1", "keepdims=False", "dtype=None", "mode='same'".
  template <class R, class... P>
  void add(const char* keras_name, std::initializer_list<const char*> parameters,
           R (*function)(P...)) {
    insert(reinterpret_cast<detail::FunctionKey>(function), keras_name, parameters,
           {is_tensor<P>()...}, detail::of_values(function));
  }

  const OpInfo* find(detail::FunctionKey key) const;
  /// By module and class as in a file, or null.
  const OpInfo* find(const std::string& module, const std::string& class_name) const;
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

  std::vector<std::pair<detail::FunctionKey, OpInfo>> ops_;
};

/// All ops of Cornu; filled on first use by the list of each file of ops.
const OpCatalog& op_catalog();

/// An op with its settings, as a node holds it.
class OpOperation : public Operation {
 public:
  OpOperation(const OpInfo& info, Value::Dict config);
  const std::string& name() const override { return name_; }
  void rename(const std::string& name) override { name_ = name; }
  std::string base_name() const override;
  bool is_named() const override { return named_; }
  void set_named() { named_ = true; }
  Nest invoke(const Arguments& arguments) override;
  const OpInfo& info() const { return info_; }
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
