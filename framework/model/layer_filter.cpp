// Which layers of a model something is done to.
#include "layer_filter.h"

#include <fmt/core.h>

#include <algorithm>

#include "../base/layer.h"

namespace cornu {

LayerFilter::LayerFilter(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    try {
      patterns_.emplace_back(pattern);
    } catch (const std::regex_error&) {
      throw ValueError(fmt::format("quantize: '{}' is not a regular expression.", pattern));
    }
  }
}

bool LayerFilter::takes(const Layer& layer) const {
  if (takes_) return takes_(layer);
  return patterns_.empty() || std::ranges::any_of(patterns_, [&](const std::regex& pattern) {
           return std::regex_search(layer.name(), pattern);
         });
}

}  // namespace cornu
