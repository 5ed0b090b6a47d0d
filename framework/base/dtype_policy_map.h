// DTypePolicyMap: a dtype policy that has one for each layer, by its path.
#pragma once
#include <string>
#include <utility>
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
  class Place;
  /// The same of a map that may change, for `map["decoder"] = "bfloat16"` too, which is `set`.
  Place operator[](const std::string& path);
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

/// What stands in a map at a path: read it is the policy there, assigned to it makes an entry.
class DTypePolicyMap::Place {
 public:
  /// At this path; the map must outlive it.
  Place(DTypePolicyMap& map, std::string path) : map_(map), path_(std::move(path)) {}
  /// Adds an entry with the path as its key. Throws as DTypePolicyMap::set.
  const Place& operator=(const DTypePolicy& policy) const {
    map_.set(path_, policy);
    return *this;
  }
  /// The same with the policy at another place.
  const Place& operator=(const Place& other) const { return *this = other.policy(); }
  const DTypePolicy& policy() const { return map_.for_path(path_); }  ///< the policy at the path
  operator const DTypePolicy&() const { return policy(); }            ///< the same
  const std::string& name() const { return policy().name(); }         ///< of the policy
  DType variable_dtype() const { return policy().variable_dtype(); }  ///< of the policy
  DType compute_dtype() const { return policy().compute_dtype(); }    ///< of the policy

 private:
  DTypePolicyMap& map_;
  std::string path_;
};

inline DTypePolicyMap::Place DTypePolicyMap::operator[](const std::string& path) {
  return {*this, path};
}

namespace detail {
/// {module, class_name, config, registered_name} of a policy.
Value serialized_policy(const char* module, const char* class_name, Value::Dict config);
/// A DTypePolicyMap as files hold it.
Value encode_policy_map(const DTypePolicy& policy);
/// A DTypePolicyMap from its config. Throws ValueError.
DTypePolicy decode_policy_map(const Value::Dict& config);
}  // namespace detail

}  // namespace cornu
