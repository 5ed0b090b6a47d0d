// Looking up optimizers by paths.
#include "optimizer_map.h"

#include <fmt/core.h>

#include <regex>

namespace cornu::optimizers {

PathMap::PathMap(OptimizerMapConfig c) : Configured(std::move(c)) {
  if (!*config.default_optimizer) throw ValueError("OptimizerMap: default_optimizer is empty.");
  std::vector<std::string> keys;
  for (const auto& [key, optimizer] : config.optimizer_map) {
    if (!optimizer) throw ValueError(fmt::format("OptimizerMap: no optimizer for '{}'.", key));
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      throw ValueError(fmt::format("OptimizerMap: '{}' occurs twice.", key));
    keys.push_back(key);
    try {
      (void)std::regex(key);
    } catch (const std::regex_error&) {
      throw ValueError(fmt::format("OptimizerMap: '{}' is not a regular expression.", key));
    }
  }
}

const std::shared_ptr<Optimizer>& PathMap::find(const std::string& path) const {
  const std::shared_ptr<Optimizer>* found = nullptr;
  std::string found_key;
  for (const auto& [key, optimizer] : config.optimizer_map)
    if (key == path) return optimizer.shared();
  for (const auto& [key, optimizer] : config.optimizer_map) {
    if (!std::regex_match(path, std::regex(key))) continue;
    if (found)
      throw ValueError(
          fmt::format("OptimizerMap: the path '{}' matches both '{}' and '{}'. Make "
                      "the expressions exclude each other.",
                      path, found_key, key));
    found = &optimizer.shared();
    found_key = key;
  }
  return found ? *found : config.default_optimizer->shared();
}

void register_optimizer_map(Catalog& c) {
  c.add<PathMap>("keras.optimizers.OptimizerMap");
  c.add_alias("keras.optimizers", "optimizermap", "OptimizerMap");
}

}  // namespace cornu::optimizers

namespace cornu {

Value detail::OptionCodec<optimizers::OptimizersByPath>::encode(
    const optimizers::OptimizersByPath& v) {
  Value::Dict dict;
  for (const auto& [key, optimizer] : v) dict.emplace_back(key, serialize(*optimizer));
  return dict;
}

optimizers::OptimizersByPath detail::OptionCodec<optimizers::OptimizersByPath>::decode(
    const Value& v) {
  optimizers::OptimizersByPath result;
  if (v.is_null()) return result;
  if (!v.is<Value::Dict>()) throw ValueError("expected a dictionary, found " + v.kind());
  for (const auto& [key, optimizer] : v.get<Value::Dict>())
    result.emplace_back(key, OptionCodec<Choice<Optimizer>>::decode(optimizer));
  return result;
}

template class Configured<optimizers::PathMap, optimizers::OptimizerMapConfig, Configurable>;

}  // namespace cornu
