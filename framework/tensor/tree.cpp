// Functions of nests that need more than a line.
#include "tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "../../backend/error.h"

namespace cornu::tree {

namespace {

Nest::Dict by_key(const Nest& dict) {
  Nest::Dict entries = dict.entries();
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return entries;
}

// The nest with f of each of its direct parts, called by sorted key; the keys keep their order.
Nest map_parts(const Nest& nest, const MapPart& f) {
  if (nest.is_list()) {
    Nest::List parts;
    for (const Nest& part : nest.list()) parts.push_back(f(part));
    return parts;
  }
  std::map<std::string, Nest> mapped;
  for (const auto& [key, part] : by_key(nest)) mapped[key] = f(part);
  Nest::Dict entries = nest.entries();
  for (auto& [key, part] : entries) part = mapped.at(key);
  return Nest::dict(std::move(entries));
}

bool alike_here(const Nest& a, const Nest& b) {
  if (a.is_list()) return b.is_list() && a.size() == b.size();
  if (!b.is_dict() || a.size() != b.size()) return false;
  const Nest::Dict of_a = by_key(a), of_b = by_key(b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(),
                    [](const auto& one, const auto& other) { return one.first == other.first; });
}

// Goes down the nests together, to where the shallow one ends.
Nest up_to(const Nest& shallow, const std::function<Nest(const Nest::List&)>& func,
           const Nest::List& nests) {
  if (shallow.is_tensor()) return func(nests);
  for (const Nest& nest : nests)
    if (!alike_here(shallow, nest))
      throw ValueError(fmt::format(
          "map_structure_up_to: expected a nest that begins like shallow_structure, found {} in "
          "the place of {}.",
          nest.structure(), shallow.structure()));
  const auto go_down = [&](const Nest& part, const auto& step) {
    Nest::List parts;
    for (const Nest& nest : nests) parts.push_back(nest[step]);
    return up_to(part, func, parts);
  };
  if (shallow.is_list()) {
    Nest::List mapped;
    for (size_t i = 0; i < shallow.size(); ++i) mapped.push_back(go_down(shallow.list()[i], i));
    return mapped;
  }
  Nest::Dict mapped;
  for (const auto& [key, part] : shallow.entries()) mapped.emplace_back(key, go_down(part, key));
  return Nest::dict(std::move(mapped));
}

void add_paths(const Nest& nest, const Path& here, std::vector<std::pair<Path, Tensor>>& found) {
  const auto add = [&](const std::string& step, const Nest& part) {
    Path path = here;
    path.push_back(step);
    add_paths(part, path, found);
  };
  if (nest.is_list()) {
    for (size_t i = 0; i < nest.list().size(); ++i) add(std::to_string(i), nest.list()[i]);
  } else if (nest.is_dict()) {
    for (const auto& [key, part] : by_key(nest)) add(key, part);
  } else if (!nest.empty()) {
    found.emplace_back(here, nest.tensor());
  }
}

}  // namespace

Nest map_structure(const std::function<Tensor(const Tensor&, const Tensor&)>& func, const Nest& a,
                   const Nest& b) {
  assert_same_structure(a, b);
  std::vector<Tensor> results = a.flatten();
  const std::vector<Tensor> others = b.flatten();
  for (size_t i = 0; i < results.size(); ++i) results[i] = func(results[i], others[i]);
  return a.pack(results);
}

Nest map_structure_up_to(const Nest& shallow, const MapPart& func, const Nest& structure) {
  return up_to(shallow, [&](const Nest::List& parts) { return func(parts[0]); }, {structure});
}

Nest map_structure_up_to(const Nest& shallow, const MapParts& func, const Nest& a, const Nest& b) {
  return up_to(shallow, [&](const Nest::List& parts) { return func(parts[0], parts[1]); }, {a, b});
}

Nest traverse(const VisitPart& func, const Nest& structure, bool top_down) {
  const auto go_down = [&](const Nest& nest) {
    if (nest.is_tensor()) return nest;
    return map_parts(nest, [&](const Nest& part) { return traverse(func, part, top_down); });
  };
  if (top_down) {
    std::optional<Nest> replaced = func(structure);
    return replaced ? *replaced : go_down(structure);
  }
  const Nest traversed = go_down(structure);
  return func(traversed).value_or(traversed);
}

void assert_same_structure(const Nest& a, const Nest& b) {
  if (!a.same_structure(b))
    throw ValueError(fmt::format("expected two nests of one structure, found {} and {}.",
                                 a.structure(), b.structure()));
}

std::vector<std::pair<Path, Tensor>> flatten_with_path(const Nest& structure) {
  std::vector<std::pair<Path, Tensor>> found;
  add_paths(structure, {}, found);
  return found;
}

void assert_same_paths(const Nest& a, const Nest& b) {
  const auto of_a = flatten_with_path(a), of_b = flatten_with_path(b);
  const auto same = [](const auto& one, const auto& other) { return one.first == other.first; };
  if (!std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), same))
    throw ValueError(
        fmt::format("expected two nests whose tensors have the same places, found {} and {}.",
                    a.structure(), b.structure()));
}

}  // namespace cornu::tree
