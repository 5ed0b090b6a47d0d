// DTypePolicy: in which types a layer keeps its weights and computes.
#pragma once
#include <memory>

#include "../config/option_table.h"

namespace cornu {

namespace detail {
struct PolicyEntries;
}

/// "float32", "bfloat16", ..., or "mixed_float16" / "mixed_bfloat16": float32 weights, 16-bit
/// computation. A layer that is quantized says so by "int8_from_float32", "int4_from_float32",
/// "int4/128_from_float32" (a scale for each 128 numbers of a channel), "float8_from_float32",
/// "gptq/4/128_from_float32" or "awq/4/128_from_float32" (bits and size of a group), where what
/// follows "from_" is the policy that it had before. A DTypePolicyMap has one for each layer.
class DTypePolicy {
 public:
  DTypePolicy() = default;
  /// The same for a literal.
  DTypePolicy(const char* name) : DTypePolicy(std::string(name)) {}
  /// Throws ValueError with a did-you-mean when the name is not known.
  DTypePolicy(const std::string& name);
  /// Weights and computation in one dtype.
  DTypePolicy(DType dtype) : variable_(dtype), compute_(dtype), name_(dtype_name(dtype)) {}
  /// `mode` is "int8", "int4", "int4/<block size>", "float8", "gptq/<bits>/<group size>" or
  /// "awq/4/<group size>", where the size -1 stands for whole channels; `source` is the policy
  /// before. Throws ValueError for other modes, and for a source that is quantized.
  static DTypePolicy quantized(const std::string& mode, const DTypePolicy& source,
                               int64_t amax_history_length = 1024);

  DType variable_dtype() const { return variable_; }  ///< of weights
  DType compute_dtype() const { return compute_; }    ///< of what the layer computes and returns
  const std::string& name() const { return name_; }   ///< as config files hold it
  /// "int8", "int4", "float8", "gptq" or "awq"; "" for all others.
  std::string quantization_mode() const;
  /// whether weights are integers or float8
  bool is_quantized() const { return name_.find("_from_") != std::string::npos; }
  /// Of "int4/128_from_float32": 128. Nothing where a channel has one scale.
  std::optional<int64_t> block_size() const;
  /// Of "gptq/3/64_from_float32": 3. Throws StateError for other modes than gptq and awq.
  int64_t weight_bits() const;
  /// Of "gptq/3/64_from_float32": 64; -1 where a channel has one scale. Throws likewise.
  int64_t group_size() const;
  /// Of float8: how many steps' largest numbers a scale is found from.
  int64_t amax_history_length() const { return amax_history_length_; }
  /// Whether it is a DTypePolicyMap, all else of which tells of its default policy.
  bool is_map() const { return entries_ != nullptr; }
  /// The policy of the layer at this path: a map's entry for it, else the map's default; itself,
  /// if it is no map. Throws ValueError when several regular expressions match the path.
  const DTypePolicy& for_path(const std::string& path) const;
  /// Maps are equal when their entries and their defaults are.
  friend bool operator==(const DTypePolicy& a, const DTypePolicy& b);

 protected:
  std::shared_ptr<detail::PolicyEntries> entries_;  ///< of a map; shared by its copies

 private:
  friend class DTypePolicyMap;
  DType variable_ = DType::float32;
  DType compute_ = DType::float32;
  int32_t amax_history_length_ = 1024;
  std::string name_ = "float32";
};

/// The policy of layers that name none: that of the innermost PolicyScope of this thread, else what
/// config::set_dtype_policy has set, else config::floatx.
const DTypePolicy& default_policy();

namespace config {
/// Sets the policy of the whole process for layers that name none:
/// `set_dtype_policy("mixed_float16")`.
void set_dtype_policy(const DTypePolicy& policy);
/// Takes set_dtype_policy back: layers that name no policy follow config::floatx again.
void forget_dtype_policy();
/// default_policy by Keras's name.
DTypePolicy dtype_policy();
}  // namespace config

/// keras.mixed_precision: the process's policy by its older names.
namespace mixed_precision {
using config::dtype_policy;
using config::set_dtype_policy;
/// config::set_dtype_policy.
inline void set_global_policy(const DTypePolicy& policy) { config::set_dtype_policy(policy); }
/// config::dtype_policy.
inline DTypePolicy global_policy() { return config::dtype_policy(); }
}  // namespace mixed_precision

/// Layers made on this thread while it lives have this policy unless they name one.
class PolicyScope {
 public:
  /// Sets the policy for this thread; the destructor restores the former one.
  explicit PolicyScope(const DTypePolicy& policy);
  ~PolicyScope();
  PolicyScope(const PolicyScope&) = delete;

 private:
  std::optional<DTypePolicy> previous_;
};

namespace detail {
template <>
struct OptionCodec<DTypePolicy> {
  static Value encode(const DTypePolicy& v);
  static DTypePolicy decode(const Value& v);
};
extern template struct ErasedOption<std::optional<DTypePolicy>>;
}  // namespace detail

}  // namespace cornu
