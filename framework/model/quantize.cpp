// Quantizing the layers of a model.
#include <fmt/core.h>

#include <algorithm>

#include "../../backend/log.h"
#include "../base/class_of.h"
#include "../base/serialization.h"
#include "../config/quoted_names.h"
#include "calibrate.h"
#include "model.h"

namespace cornu {
namespace {

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
  return layer.own_dtype_policy().is_quantized() ||
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
          part->name(), layer.name(), class_of(layer)));
    }
  }
}

std::optional<QuantizationLayerStructure> Model::get_quantization_layer_structure(
    const std::string&) const {
  return {};
}

void Model::quantize_as(const std::string& mode, const Choice<QuantizationConfig>& config,
                        const LayerFilter& filters) {
  if (!config || mode != config->mode())
    throw ValueError(fmt::format("quantize: the mode is '{}', but that of the config '{}'.", mode,
                                 config ? config->mode() : "none"));
  quantize(config, filters);
}

void Model::quantize(const Choice<QuantizationConfig>& config, const LayerFilter& filters) {
  std::vector<Layer*> kept;
  if (const auto* calibrated = dynamic_cast<const CalibratedConfig*>(config.get())) {
    auto structure = calibrated->structure();
    if (!structure) structure = get_quantization_layer_structure(config->mode());
    if (!structure || structure->sequential_blocks.empty())
      throw ValueError(fmt::format(
          "quantize: '{}' must know the way of the data through the model. Give the config a "
          "quantization_layer_structure with sequential_blocks, or override "
          "get_quantization_layer_structure.",
          config->mode()));
    kept = calibrate_blocks(config, *calibrated, *structure, filters);
  } else {
    for (Layer* layer : leaf_layers(*this)) {
      if (!filters.takes(*layer)) continue;
      try {
        if (layer != this) layer->quantize(config);
      } catch (const UnsupportedError&) {
        if (!layer->own_weights().empty()) kept.push_back(layer);
      }
    }
  }
  forget_layers();
  std::vector<std::string> names;
  for (const Layer* layer : kept) names.push_back(layer->name());
  if (!kept.empty())
    warn_once(fmt::format("quantize: the layers {} cannot be quantized and stay as they are.",
                          detail::quoted_names(names)));
}

}  // namespace cornu
