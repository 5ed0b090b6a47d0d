// Walking and rebuilding nested structures of tensors.
#include "nest.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace cornu {
namespace {

// Keras flattens dictionaries by sorted keys, whatever the order they were written in.
std::vector<size_t> sorted_order(const Nest::Dict& entries) {
  std::vector<size_t> order(entries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return entries[a].first < entries[b].first; });
  return order;
}

void flatten_into(const Nest& nest, std::vector<Tensor>& out) {
  if (nest.is_tensor()) {
    out.push_back(nest.tensor());
  } else if (nest.is_list()) {
    for (const Nest& element : nest.list()) flatten_into(element, out);
  } else {
    for (size_t i : sorted_order(nest.entries())) flatten_into(nest.entries()[i].second, out);
  }
}

Nest rebuild(const Nest& like, const std::function<Tensor(const Tensor&)>& next) {
  if (like.is_tensor()) return next(like.tensor());
  if (like.is_list()) {
    Nest::List list;
    for (const Nest& element : like.list()) list.push_back(rebuild(element, next));
    return list;
  }
  Nest::Dict entries = like.entries();
  for (size_t i : sorted_order(entries)) entries[i].second = rebuild(entries[i].second, next);
  return Nest::dict(std::move(entries));
}

}  // namespace

Nest::Nest(List list) : structure_(std::make_shared<const Structure>(Structure{std::move(list)})) {}

Nest Nest::dict(Dict entries) {
  Nest nest;
  nest.structure_ = std::make_shared<const Structure>(Structure{std::move(entries)});
  return nest;
}

const Nest::List& Nest::list() const {
  if (is_list()) return std::get<List>(structure_->value);
  throw ValueError("Expected a list of tensors, found the structure " + structure() + ".");
}

std::vector<Tensor> Nest::flat_list(size_t count) const {
  const bool is_flat = is_list() && std::ranges::all_of(list(), &Nest::is_tensor);
  if (!is_flat || size() != count)
    throw ValueError(fmt::format(
        "unpack<{}> needs a list of {} tensors, found the structure {}.{}", count, count,
        structure(),
        is_flat ? fmt::format(" Write unpack<{}>.", size()) : " Take what is inside of the Nest."));
  return flatten();
}

const Nest::Dict& Nest::entries() const {
  if (is_dict()) return std::get<Dict>(structure_->value);
  throw ValueError("Expected a dictionary of tensors, found the structure " + structure() + ".");
}

void Nest::throw_not_a_tensor() const {
  throw ValueError("Expected a single tensor, found the structure " + structure() +
                   ". Pick one with [index] or [\"key\"].");
}

Nest Nest::element(int64_t index) const {
  const auto count = static_cast<int64_t>(size());
  if (index < -count || index >= count)
    throw ValueError(fmt::format("Element {} of the structure {} does not exist: it has {}.", index,
                                 structure(), count));
  const auto at = static_cast<size_t>(index < 0 ? index + count : index);
  if (is_tensor()) return *this;
  return is_list() ? list()[at] : entries()[at].second;
}

Nest Nest::operator[](const std::string& key) const {
  std::vector<std::string> keys;
  if (is_dict())
    for (const auto& [name, nest] : entries()) {
      if (name == key) return nest;
      keys.push_back(name);
    }
  throw ValueError(fmt::format("No entry '{}' in the structure {}.{}", key, structure(),
                               did_you_mean(key, keys)));
}

size_t Nest::size() const { return is_list() ? list().size() : is_dict() ? entries().size() : 1; }

std::vector<Tensor> Nest::flatten() const {
  std::vector<Tensor> out;
  flatten_into(*this, out);
  return out;
}

Nest Nest::pack(const std::vector<Tensor>& tensors) const {
  size_t index = 0;
  Nest packed = rebuild(*this, [&](const Tensor&) {
    if (index >= tensors.size())
      throw ValueError(
          fmt::format("{} tensors do not fill the structure {}", tensors.size(), structure()));
    return tensors[index++];
  });
  if (index != tensors.size())
    throw ValueError(
        fmt::format("{} tensors do not fill the structure {}", tensors.size(), structure()));
  return packed;
}

Nest Nest::map(const std::function<Tensor(const Tensor&)>& f) const { return rebuild(*this, f); }

bool Nest::same_structure(const Nest& other) const {
  if (is_list() != other.is_list() || is_dict() != other.is_dict() || size() != other.size())
    return false;
  if (is_list())
    return std::equal(list().begin(), list().end(), other.list().begin(),
                      [](const Nest& a, const Nest& b) { return a.same_structure(b); });
  if (is_dict()) {
    const auto a = sorted_order(entries()), b = sorted_order(other.entries());
    for (size_t i = 0; i < a.size(); ++i)
      if (entries()[a[i]].first != other.entries()[b[i]].first ||
          !entries()[a[i]].second.same_structure(other.entries()[b[i]].second))
        return false;
  }
  return true;
}

std::string Nest::structure() const {
  if (is_tensor()) return "*";
  std::string text;
  if (is_list()) {
    for (const Nest& element : list()) text += (text.empty() ? "" : ", ") + element.structure();
    return "[" + text + "]";
  }
  for (const auto& [key, nest] : entries())
    text += fmt::format("{}'{}': {}", text.empty() ? "" : ", ", key, nest.structure());
  return "{" + text + "}";
}

}  // namespace cornu
