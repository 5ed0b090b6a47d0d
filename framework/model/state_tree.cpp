// All state of a model as nested dictionaries of tensors.
#include <fmt/core.h>

#include <algorithm>

#include "model.h"

namespace cornu {
namespace {

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void put(Value::Dict& tree, const std::vector<std::string>& parts, size_t depth,
         const Variable& variable) {
  const auto clash = [&] {
    throw StateError(fmt::format(
        "get_state_tree: two variables have the path '{}'. Give their layers names that differ.",
        variable.path()));
  };
  const auto found = std::find_if(tree.begin(), tree.end(),
                                  [&](const auto& entry) { return entry.first == parts[depth]; });
  if (depth + 1 == parts.size()) {
    if (found != tree.end()) clash();
    tree.emplace_back(parts[depth], variable.value().detached());
    return;
  }
  Value::Dict inner;
  if (found != tree.end()) {
    if (!found->second.is<Value::Dict>()) clash();
    inner = found->second.get<Value::Dict>();
  }
  put(inner, parts, depth + 1, variable);
  if (found != tree.end())
    found->second = std::move(inner);
  else
    tree.emplace_back(parts[depth], std::move(inner));
}

struct Group {
  std::string name;
  std::vector<Variable> variables;
};

std::vector<Group> groups_of(const Model& model) {
  return {{"trainable_variables", model.trainable_variables()},
          {"non_trainable_variables", model.non_trainable_variables()},
          {"optimizer_variables",
           model.optimizer() ? model.optimizer()->variables() : std::vector<Variable>()},
          {"metrics_variables", model.metrics_variables()}};
}

// Finds the variables that a tree has values of.
void collect(const Value& value, const std::string& path, const Group& group,
             std::vector<std::pair<Variable, Tensor>>& found) {
  if (value.is<Value::Dict>()) {
    for (const auto& [key, inner] : value.get<Value::Dict>())
      collect(inner, path.empty() ? key : path + "/" + key, group, found);
    return;
  }
  std::vector<std::string> paths;
  for (const Variable& v : group.variables) {
    paths.push_back(v.path());
    if (v.path() != path) continue;
    if (!value.is<Tensor>())
      throw ValueError(fmt::format("set_state_tree: '{}' of '{}' is {}, expected a tensor.", path,
                                   group.name, value.kind()));
    const Tensor& tensor = value.get<Tensor>();
    if (tensor.shape() != v.shape())
      throw ShapeError(
          fmt::format("set_state_tree: '{}' of '{}' has shape {}, the variable has {}.", path,
                      group.name, tensor.shape().str(), v.shape().str()));
    found.emplace_back(v, tensor);
    return;
  }
  throw ValueError(fmt::format("set_state_tree: the model has no '{}' among its {}.{}", path,
                               group.name, did_you_mean(path, paths)));
}

}  // namespace

Value::Dict Model::get_state_tree() const {
  Value::Dict result;
  for (const Group& group : groups_of(*this)) {
    Value::Dict tree;
    for (const Variable& v : group.variables) put(tree, parts_of(v.path()), 0, v);
    result.emplace_back(group.name, std::move(tree));
  }
  return result;
}

void Model::set_state_tree(const Value::Dict& state_tree) {
  const std::vector<Group> groups = groups_of(*this);
  std::vector<std::string> names;
  for (const Group& g : groups) names.push_back(g.name);
  std::vector<std::pair<Variable, Tensor>> found;
  for (const auto& [name, tree] : state_tree) {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end())
      throw ValueError(
          fmt::format("set_state_tree: the state has no '{}'.{}", name, did_you_mean(name, names)));
    collect(tree, "", groups[static_cast<size_t>(place - names.begin())], found);
  }
  for (const auto& [variable, value] : found) variable.assign(value);
}

}  // namespace cornu
