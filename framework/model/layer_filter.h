// LayerFilter: which layers of a model something is done to.
#pragma once
#include <functional>
#include <regex>
#include <string>
#include <vector>

namespace cornu {

class Layer;

/// Layers in whose names one of some regular expressions (ECMAScript) is found, those that a
/// function takes, or by default all.
class LayerFilter {
 public:
  LayerFilter() = default;                                                 ///< all layers
  LayerFilter(const char* pattern) : LayerFilter(std::string(pattern)) {}  ///< one expression
  LayerFilter(const std::string& pattern) : LayerFilter(std::vector{pattern}) {}  ///< the same
  /// Any of several; without any, all layers. Throws ValueError for one that is no regular
  /// expression.
  LayerFilter(const std::vector<std::string>& patterns);
  /// The same for patterns in braces.
  LayerFilter(std::initializer_list<std::string> patterns)
      : LayerFilter(std::vector<std::string>(patterns)) {}
  /// Those for which a function returns true.
  template <class F>
  requires std::is_invocable_r_v<bool, F, const Layer&> LayerFilter(F takes)
      : takes_(std::move(takes)) {}

  bool takes(const Layer& layer) const;  ///< whether it is one of them

 private:
  std::vector<std::regex> patterns_;
  std::function<bool(const Layer&)> takes_;
};

}  // namespace cornu
