// DTypePolicy: in which types a layer keeps its weights and computes.
#pragma once
#include "../config/option.h"

namespace cornu {

/// "float32", "bfloat16", ..., or "mixed_float16" / "mixed_bfloat16": float32 weights, 16-bit computation.
class DTypePolicy {
 public:
  DTypePolicy() = default;
  DTypePolicy(const char* name) : DTypePolicy(std::string(name)) {}
  /// Throws ValueError with a did-you-mean when the name is not known.
  DTypePolicy(const std::string& name);
  DTypePolicy(DType dtype) : variable_(dtype), compute_(dtype), name_(dtype_name(dtype)) {}

  DType variable_dtype() const { return variable_; }
  DType compute_dtype() const { return compute_; }
  const std::string& name() const { return name_; }
  friend bool operator==(const DTypePolicy&, const DTypePolicy&) = default;

 private:
  DType variable_ = DType::float32;
  DType compute_ = DType::float32;
  std::string name_ = "float32";
};

/// The policy of layers that name none: "float32", unless a PolicyScope says otherwise.
const DTypePolicy& default_policy();

/// Layers made on this thread while it lives have this policy unless they name one.
class PolicyScope {
 public:
  explicit PolicyScope(const DTypePolicy& policy);
  ~PolicyScope();
  PolicyScope(const PolicyScope&) = delete;

 private:
  DTypePolicy previous_;
};

namespace detail {
template <>
struct OptionCodec<DTypePolicy> {
  static Value encode(const DTypePolicy& v);
  static DTypePolicy decode(const Value& v);
};
}  // namespace detail

}  // namespace cornu
