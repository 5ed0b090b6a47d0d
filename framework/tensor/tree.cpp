// Functions of nests that need more than a line.
#include "tree.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../backend/error.h"

namespace cornu::tree {

namespace {

void add_paths(const Nest& nest, const Path& here, std::vector<std::pair<Path, Tensor>>& found) {
  const auto add = [&](const std::string& step, const Nest& part) {
    Path path = here;
    path.push_back(step);
    add_paths(part, path, found);
  };
  if (nest.is_list()) {
    for (size_t i = 0; i < nest.list().size(); ++i) add(std::to_string(i), nest.list()[i]);
  } else if (nest.is_dict()) {
    Nest::Dict entries = nest.entries();
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, part] : entries) add(key, part);
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
