// Quantizing the layers of a model.
#include <fmt/core.h>

#include <algorithm>
#include <regex>
#include <set>

#include "../../backend/log.h"
#include "../base/serialization.h"
#include "../quantizers/quantization_config.h"
#include "model.h"

namespace cornu {
namespace {

void collect_leaves(Layer& layer, std::vector<Layer*>& leaves, std::set<Layer*>& seen) {
  if (!seen.insert(&layer).second) return;
  const auto inside = layer.sublayers();
  if (inside.empty()) leaves.push_back(&layer);
  for (const auto& part : inside) collect_leaves(*part, leaves, seen);
}

std::vector<std::regex> patterns_of(const std::vector<std::string>& filters) {
  std::vector<std::regex> patterns;
  for (const std::string& filter : filters) {
    try {
      patterns.emplace_back(filter);
    } catch (const std::regex_error&) {
      throw ValueError(fmt::format("quantize: '{}' is not a regular expression.", filter));
    }
  }
  return patterns;
}

// Whether an object of this name is in a config.
bool holds(const Value& value, const std::string& name) {
  if (value.is<Value::List>())
    return std::ranges::any_of(value.get<Value::List>(),
                               [&](const Value& v) { return holds(v, name); });
  if (!value.is<Value::Dict>()) return false;
  const auto& dict = value.get<Value::Dict>();
  if (const Value* config = detail::find(dict, "config");
      config && config->is<Value::Dict>() && detail::find(dict, "class_name"))
    if (const Value* own = detail::find(config->get<Value::Dict>(), "name");
        own && own->is<std::string>() && own->get<std::string>() == name)
      return true;
  return std::ranges::any_of(dict, [&](const auto& entry) { return holds(entry.second, name); });
}

bool has_quantized(const Layer& layer) {
  return layer.dtype_policy().is_quantized() ||
         std::ranges::any_of(layer.sublayers(), [](const auto& l) { return has_quantized(*l); });
}

}  // namespace

void require_saved_quantization(const Layer& layer) {
  if (!has_quantized(layer)) return;
  const Value config = layer.get_config();
  for (const auto& part : layer.sublayers()) {
    if (holds(config, part->name())) {
      require_saved_quantization(*part);
    } else if (has_quantized(*part) && part->dtype_policy() != layer.dtype_policy()) {
      throw UnsupportedError(fmt::format(
          "save: '{}' inside layer '{}' ({}) is quantized, but that layer's config holds nothing "
          "of the layers inside it, so a file of this model could not be read again. Save the "
          "model "
          "before it is quantized, or name the layers to quantize in quantize's filters.",
          part->name(), layer.name(), layer.base_name()));
    }
  }
}

void Model::quantize(const Choice<QuantizationConfig>& config,
                     const std::vector<std::string>& filters) {
  const std::vector<std::regex> patterns = patterns_of(filters);
  std::vector<Layer*> leaves;
  std::set<Layer*> seen;
  collect_leaves(*this, leaves, seen);
  std::string kept;
  for (Layer* layer : leaves) {
    const auto matches = [&](const std::regex& p) { return std::regex_search(layer->name(), p); };
    if (!patterns.empty() && std::none_of(patterns.begin(), patterns.end(), matches)) continue;
    try {
      if (layer != this) layer->quantize(config);
    } catch (const UnsupportedError&) {
      if (!layer->own_weights().empty()) kept += (kept.empty() ? "'" : ", '") + layer->name() + "'";
    }
  }
  forget_layers();
  if (!kept.empty())
    warn_once(
        fmt::format("quantize: the layers {} cannot be quantized and stay as they are.", kept));
}

}  // namespace cornu
