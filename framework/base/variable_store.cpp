// Arrays by name.
#include "variable_store.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../backend/error.h"

namespace cornu {

void VariableStore::set(const std::string& name, const Tensor& value) {
  if (name.empty() || name.find('/') != std::string::npos)
    throw ValueError(
        fmt::format("VariableStore: a name may not be empty or contain '/', found '{}'.", name));
  if (!value) throw ValueError(fmt::format("VariableStore: the value of '{}' is empty.", name));
  for (auto& [known, held] : values_)
    if (known == name) {
      held = value;
      return;
    }
  values_.emplace_back(name, value);
}

Tensor VariableStore::get(const std::string& name) const {
  for (const auto& [known, value] : values_)
    if (known == name) return value;
  throw ValueError(fmt::format("there is no array '{}'.{}", name, did_you_mean(name, keys())));
}

bool VariableStore::contains(const std::string& name) const {
  const std::vector<std::string> all = keys();
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::vector<std::string> VariableStore::keys() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) names.push_back(name);
  return names;
}

void VariableStore::set_all(const std::vector<Variable>& variables) {
  for (const Variable& v : variables) set(std::to_string(values_.size()), v.value());
}

void VariableStore::assign_to(const std::vector<Variable>& variables,
                              const std::function<void()>& then) const {
  if (size() != variables.size())
    throw ValueError(fmt::format("expected {} arrays, found {}.", variables.size(), size()));
  std::vector<Tensor> all;
  for (size_t i = 0; i < variables.size(); ++i) {
    const std::string number = std::to_string(i);
    all.push_back(get(size() == 1 && !contains(number) ? variables[i].name() : number));
    if (all[i].shape() != variables[i].shape())
      throw ShapeError(fmt::format("variable '{}' has shape {}, array '{}' has {}.",
                                   variables[i].name(), variables[i].shape().str(), i,
                                   all[i].shape().str()));
  }
  for (size_t i = 0; i < variables.size(); ++i) variables[i].assign(all[i]);
  if (then) then();
}

}  // namespace cornu
