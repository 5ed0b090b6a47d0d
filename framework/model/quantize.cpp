// Quantizing the layers of a model.
#include <fmt/core.h>

#include <algorithm>
#include <regex>
#include <set>

#include "../../backend/log.h"
#include "../base/layer_roles.h"
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

}  // namespace

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
