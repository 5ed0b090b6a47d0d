// Choosing free names, and finding layers.
#include "names.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "../base/class_of.h"
#include "../base/layer.h"
#include "../config/class_name.h"
#include "../config/quoted_names.h"

namespace cornu {

void make_names_unique(const std::vector<std::shared_ptr<Operation>>& operations,
                       const Operation& model) {
  std::set<std::string> taken;
  std::vector<std::shared_ptr<Operation>> open;
  for (const auto& op : operations) {
    if (!op->is_named()) {
      open.push_back(op);
    } else if (!taken.insert(op->name()).second) {
      const auto first = std::find_if(operations.begin(), operations.end(), [&](const auto& other) {
        return other->is_named() && other->name() == op->name();
      });
      throw ValueError(fmt::format(
          "Model '{}': two layers, {} and {}, are named '{}'. Names must be unique in a model.",
          model.name(), class_of(**first), class_of(*op), op->name()));
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
  throw ValueError(fmt::format(
      "get_layer: model '{}' has no layer '{}'.{}{}", who, name, did_you_mean(name, known),
      known.empty() ? "" : " Its layers are " + detail::quoted_names(known) + "."));
}

std::shared_ptr<Layer> find_layer(const std::vector<std::shared_ptr<Layer>>& layers, int64_t index,
                                  const std::string& who) {
  const auto count = static_cast<int64_t>(layers.size());
  if (index < -count || index >= count)
    throw ValueError(
        fmt::format("get_layer: model '{}' has {} layers, but none at {}.", who, count, index));
  return layers[static_cast<size_t>(index < 0 ? index + count : index)];
}

void detail::wrong_layer(const Layer& found, const std::type_info& wanted, const std::string& who) {
  throw ValueError(fmt::format(
      "get_layer: layer '{}' of model '{}' is a {}, but a {} was asked for.", found.name(), who,
      handle_name(typeid(found), "Layer"), handle_name(wanted, "Layer")));
}

}  // namespace cornu
