// Choosing free names, and finding layers.
#include "names.h"

#include <cxxabi.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "../base/layer.h"

namespace cornu {

void make_names_unique(const std::vector<std::shared_ptr<Operation>>& operations) {
  std::set<std::string> taken;
  std::vector<std::shared_ptr<Operation>> open;
  for (const auto& op : operations) {
    if (!op->is_named()) {
      open.push_back(op);
    } else if (!taken.insert(op->name()).second) {
      throw ValueError(fmt::format(
          "Two layers of a model are named '{}'. Names must be unique in a model.", op->name()));
    }
  }
  std::sort(open.begin(), open.end(),
            [](const auto& a, const auto& b) { return a->serial() < b->serial(); });
  for (const auto& op : open) {
    std::string name = op->name();
    for (int i = 1; !taken.insert(name).second; ++i)
      name = fmt::format("{}_{}", op->base_name(), i);
    if (name != op->name()) op->rename(name);
  }
}

std::shared_ptr<Layer> find_layer(const std::vector<std::shared_ptr<Layer>>& layers,
                                  const std::string& name, const std::string& who) {
  std::vector<std::string> known;
  for (const auto& layer : layers) {
    if (layer->name() == name) return layer;
    known.push_back(layer->name());
  }
  throw ValueError(fmt::format("get_layer: model '{}' has no layer '{}'.{}", who, name,
                               did_you_mean(name, known)));
}

std::shared_ptr<Layer> find_layer(const std::vector<std::shared_ptr<Layer>>& layers, int64_t index,
                                  const std::string& who) {
  const auto count = static_cast<int64_t>(layers.size());
  if (index < -count || index >= count)
    throw ValueError(
        fmt::format("get_layer: model '{}' has {} layers, but none at {}.", who, count, index));
  return layers[static_cast<size_t>(index < 0 ? index + count : index)];
}

namespace {

// As users write it: that of the handle of a layer, such as "Dense".
std::string class_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? text.get() : type.name();
  if (const size_t colon = name.rfind("::"); colon != std::string::npos) name.erase(0, colon + 2);
  constexpr std::string_view suffix = "Layer";
  if (name.size() > suffix.size() && name.ends_with(suffix))
    name.resize(name.size() - suffix.size());
  return name;
}

}  // namespace

void detail::wrong_layer(const Layer& found, const std::type_info& wanted, const std::string& who) {
  throw ValueError(
      fmt::format("get_layer: layer '{}' of model '{}' is a {}, but a {} was asked for.",
                  found.name(), who, class_name(typeid(found)), class_name(wanted)));
}

}  // namespace cornu
