// Policies by the paths of layers.
#include "dtype_policy_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <list>
#include <regex>

#include "../config/configurable.h"

namespace cornu {

namespace detail {

struct PolicyEntry {
  std::string key;
  DTypePolicy policy;
  std::regex pattern;
};

struct PolicyEntries {
  DTypePolicy fallback;
  bool given = false;              // the default was given by the user
  std::list<PolicyEntry> entries;  // layers refer to the policies: they stay where they are

  std::list<PolicyEntry>::iterator find(const std::string& key) {
    return std::ranges::find(entries, key, &PolicyEntry::key);
  }
};

}  // namespace detail

const DTypePolicy& DTypePolicy::for_path(const std::string& path) const {
  if (!entries_) return *this;
  if (path.empty()) return entries_->fallback;
  if (const auto exact = entries_->find(path); exact != entries_->entries.end())
    return exact->policy;
  const detail::PolicyEntry* found = nullptr;
  for (const detail::PolicyEntry& entry : entries_->entries) {
    if (!std::regex_match(path, entry.pattern)) continue;
    if (found)
      throw ValueError(fmt::format(
          "DTypePolicyMap: the path '{}' matches the keys '{}' and '{}'. Let each path match one "
          "key, or give it an entry of its own.",
          path, found->key, entry.key));
    found = &entry;
  }
  return found ? found->policy : entries_->fallback;
}

bool operator==(const DTypePolicy& a, const DTypePolicy& b) {
  if (a.name_ != b.name_ || a.variable_ != b.variable_ || a.compute_ != b.compute_ ||
      a.amax_history_length_ != b.amax_history_length_ || a.is_map() != b.is_map())
    return false;
  return a.entries_ == b.entries_ ||
         (a.entries_->fallback == b.entries_->fallback &&
          std::ranges::equal(
              a.entries_->entries, b.entries_->entries,
              [](const auto& x, const auto& y) { return x.key == y.key && x.policy == y.policy; }));
}

DTypePolicyMap::DTypePolicyMap(const std::optional<DTypePolicy>& default_policy,
                               const Entries& policy_map) {
  const DTypePolicy& global = cornu::default_policy();
  if (default_policy && default_policy->is_map())
    throw ValueError("DTypePolicyMap: the default policy is a DTypePolicyMap itself.");
  static_cast<DTypePolicy&>(*this) = default_policy ? *default_policy : global.for_path("");
  entries_ = std::make_shared<detail::PolicyEntries>(
      detail::PolicyEntries{*this, default_policy.has_value(), {}});
  name_ = "map_" + name_;
  for (const auto& [key, policy] : policy_map) set(key, policy);
}

DTypePolicyMap DTypePolicyMap::of(const DTypePolicy& policy) {
  if (!policy.is_map())
    throw ValueError(
        fmt::format("DTypePolicyMap: the policy '{}' is no DTypePolicyMap.", policy.name()));
  DTypePolicyMap map;
  static_cast<DTypePolicy&>(map) = policy;
  return map;
}

const DTypePolicy& DTypePolicyMap::default_policy() const { return entries_->fallback; }

void DTypePolicyMap::set(const std::string& key, const DTypePolicy& policy) {
  if (contains(key))
    throw ValueError(
        fmt::format("DTypePolicyMap: there is a '{}' already, with policy '{}'. Erase it before.",
                    key, entries_->find(key)->policy.name()));
  if (policy.is_map())
    throw ValueError(fmt::format("DTypePolicyMap: the policy of '{}' is a map itself.", key));
  try {
    entries_->entries.push_back({key, policy, std::regex(key)});
  } catch (const std::regex_error&) {
    throw ValueError(fmt::format("DTypePolicyMap: '{}' is no regular expression.", key));
  }
}

void DTypePolicyMap::erase(const std::string& key) {
  if (!contains(key)) throw ValueError(fmt::format("DTypePolicyMap: there is no '{}'.", key));
  entries_->entries.erase(entries_->find(key));
}

bool DTypePolicyMap::contains(const std::string& key) const {
  return entries_->find(key) != entries_->entries.end();
}

size_t DTypePolicyMap::size() const { return entries_->entries.size(); }

DTypePolicyMap::Entries DTypePolicyMap::entries() const {
  Entries result;
  for (const auto& entry : entries_->entries) result.emplace_back(entry.key, entry.policy);
  return result;
}

bool DTypePolicyMap::has_default_policy() const { return entries_->given; }

namespace detail {

namespace {

// Where the default is left to whoever reads the file, so is what an entry has from it. (Keras
// leaves all names of entries to the reader then, and forgets those that differ.)
Value without_default_name(const Value& policy, const std::string& default_name) {
  Value::Dict result = policy.get<Value::Dict>();
  for (auto& [key, value] : result) {
    if (key != "config") continue;
    Value::Dict config = value.get<Value::Dict>();
    for (auto& [option, name] : config)
      if ((option == "name" || option == "source_name") && name.is<std::string>() &&
          name.get<std::string>() == default_name)
        name = Value();
    value = config;
  }
  return result;
}

}  // namespace

Value encode_policy_map(const DTypePolicy& policy) {
  const DTypePolicyMap map = DTypePolicyMap::of(policy);
  const bool given = map.has_default_policy();
  Value::Dict entries;
  for (const auto& [key, entry] : map.entries()) {
    Value value = OptionCodec<DTypePolicy>::encode(entry);
    entries.emplace_back(key,
                         given ? value : without_default_name(value, map.default_policy().name()));
  }
  return serialized_policy(
      "keras.dtype_policies", "DTypePolicyMap",
      {{"default_policy", given ? OptionCodec<DTypePolicy>::encode(map.default_policy()) : Value()},
       {"policy_map", entries}});
}

DTypePolicy decode_policy_map(const Value::Dict& config) {
  const Value* fallback = find(config, "default_policy");
  const Value* entries = find(config, "policy_map");
  std::optional<DTypePolicy> given;
  if (fallback && !fallback->is_null()) given = OptionCodec<DTypePolicy>::decode(*fallback);
  DTypePolicyMap map(given);
  if (!entries || entries->is_null()) return map;
  if (!entries->is<Value::Dict>())
    throw ValueError("DTypePolicyMap: expected a dictionary as policy_map, found " +
                     entries->kind() + ".");
  for (const auto& [key, value] : entries->get<Value::Dict>())
    map.set(key, OptionCodec<DTypePolicy>::decode(value).for_path(""));
  return map;
}

}  // namespace detail
}  // namespace cornu
