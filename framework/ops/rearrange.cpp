// A pattern as a reshape that splits, a transpose, and a reshape that joins.
#include "rearrange.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "catalog.h"
#include "convert.h"
#include "numpy/joining.h"
#include "numpy/manipulation.h"
#include "operators.h"

namespace cornu::ops {
namespace {

using Group = std::vector<std::string>;  // the names that make up one axis

std::vector<Group> read_side(const std::string& text, const std::string& pattern) {
  const auto refuse = [&](const char* what) {
    throw ValueError(fmt::format(
        "rearrange: {} in the pattern '{}'; expected names of axes, as in 'b h w c -> b (h w) c'.",
        what, pattern));
  };
  std::vector<Group> groups;
  bool open = false;
  for (size_t i = 0; i < text.size();) {
    const auto is_letter = [&](size_t k) {
      return k < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_');
    };
    if (is_letter(i)) {
      std::string name;
      while (is_letter(i)) name += text[i++];
      if (!open) groups.emplace_back();
      groups.back().push_back(name);
      continue;
    }
    if (text[i] == '(') {
      if (open) refuse("brackets inside brackets");
      open = true;
      groups.emplace_back();
    } else if (text[i] == ')') {
      if (!open) refuse("a ')' without its '('");
      open = false;
    } else if (text[i] != ' ') {
      refuse("a character that is no name");
    }
    ++i;
  }
  if (open) refuse("a '(' without its ')'");
  return groups;
}

Group flattened(const std::vector<Group>& groups) {
  Group names;
  for (const Group& group : groups) names.insert(names.end(), group.begin(), group.end());
  return names;
}

Tensor compute(const Tensor& x, const std::string& pattern, const Value& axes_lengths) {
  const size_t arrow = pattern.find("->");
  if (arrow == std::string::npos)
    throw ValueError(fmt::format("rearrange: no '->' in the pattern '{}'.", pattern));
  const std::vector<Group> from = read_side(pattern.substr(0, arrow), pattern);
  const std::vector<Group> to = read_side(pattern.substr(arrow + 2), pattern);
  const Group names = flattened(from), wanted = flattened(to);
  Group a = names, b = wanted;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (a != b || std::adjacent_find(a.begin(), a.end()) != a.end())
    throw ValueError(fmt::format(
        "rearrange: both sides of the pattern '{}' must have the same names, each once.", pattern));
  if (static_cast<int>(from.size()) != x.rank())
    throw ShapeError(fmt::format("rearrange: the pattern '{}' is for {} axes, found shape {}.",
                                 pattern, from.size(), x.shape().str()));
  std::map<std::string, int64_t> sizes;
  if (axes_lengths.is<Value::Dict>())
    for (const auto& [name, size] : axes_lengths.get<Value::Dict>())
      sizes[name] = detail::from_value<int64_t>(size);
  Shape split;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t whole = x.shape()[static_cast<int>(i)];
    int64_t known = 1;
    const std::string* open = nullptr;
    bool fits = true;
    for (const std::string& name : from[i]) {
      if (sizes.contains(name))
        known *= sizes[name];
      else if (open)
        fits = false;
      else
        open = &name;
    }
    fits = fits && known > 0 && (open ? whole % known == 0 : whole == known);
    if (!fits)
      throw ShapeError(fmt::format(
          "rearrange: axis {} of shape {} does not fit the pattern '{}'. Give the sizes of all its "
          "names but one.",
          i, x.shape().str(), pattern));
    if (open) sizes[*open] = whole / known;
    for (const std::string& name : from[i]) split.push_back(sizes[name]);
  }
  std::vector<int64_t> order;
  for (const std::string& name : wanted)
    order.push_back(std::find(names.begin(), names.end(), name) - names.begin());
  Shape joined;
  for (const Group& group : to) {
    int64_t size = 1;
    for (const std::string& name : group) size *= sizes[name];
    joined.push_back(size);
  }
  return reshape(transpose(reshape(x, split), order), joined);
}

}  // namespace

Tensor rearrange(const Tensor& x, const std::string& pattern, const AxesLengths& axes_lengths) {
  if (is_symbolic(x)) return symbolic_call(&rearrange, x, pattern, axes_lengths);
  return compute(x, pattern, axes_lengths);
}

void list_rearrange(OpCatalog& catalog) {
  catalog.add("einops.Rearrange", {"tensor", "pattern", "**axes_lengths"}, &rearrange);
}

}  // namespace cornu::ops
