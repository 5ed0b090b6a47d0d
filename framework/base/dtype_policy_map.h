// DTypePolicyMap: a dtype policy that has one for each layer, by its path.
#pragma once
#include <vector>

#include "dtype_policy.h"

namespace cornu {

/// Policies by the paths of layers. Given as the dtype of a layer it holds for those inside too,
/// and as that of the process or of a PolicyScope for all that are made there: each takes the
/// policy of its own path when it is built, such as "encoder/attention/query".
///
///   DTypePolicyMap dtype("float32", {{"encoder/.*", "bfloat16"}});
///   layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 8, .name = "encoder",
///                                         .dtype = dtype});
///
/// A key is a path, or a regular expression (ECMAScript) that matches whole paths. Copies share
/// the entries.
class DTypePolicyMap : public DTypePolicy {
 public:
  using Entries = std::vector<std::pair<std::string, DTypePolicy>>;  ///< keys and their policies

  /// `default_policy` is that of layers which no key has; none: the global policy of now, and of
  /// then for files. Throws as `set`, and ValueError for a default that is a map itself.
  explicit DTypePolicyMap(const std::optional<DTypePolicy>& default_policy = {},
                          const Entries& policy_map = {});
  /// The map that a policy is, with the same entries. Throws ValueError when it is none.
  static DTypePolicyMap of(const DTypePolicy& policy);

  const DTypePolicy& default_policy() const;  ///< of layers that no key has
  /// The policy at a path: that of this very key, else that of the regular expression which
  /// matches it, else the default. Throws ValueError when several match.
  const DTypePolicy& operator[](const std::string& path) const { return for_path(path); }
  /// Adds an entry. Throws ValueError for a key that is there, one that is no regular expression,
  /// and a policy that is a map.
  void set(const std::string& key, const DTypePolicy& policy);
  void erase(const std::string& key);           ///< throws ValueError when there is no such key
  bool contains(const std::string& key) const;  ///< whether it is a key; matches do not count
  size_t size() const;                          ///< number of entries
  Entries entries() const;                      ///< in their order
  /// Whether the constructor was given a default policy.
  bool has_default_policy() const;
};

namespace detail {
/// {module, class_name, config, registered_name} of a policy.
Value serialized_policy(const char* module, const char* class_name, Value::Dict config);
/// A DTypePolicyMap as files hold it.
Value encode_policy_map(const DTypePolicy& policy);
/// A DTypePolicyMap from its config. Throws ValueError.
DTypePolicy decode_policy_map(const Value::Dict& config);
}  // namespace detail

}  // namespace cornu
