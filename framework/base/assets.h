// Assets: files that a layer keeps beside its weights, as StringLookup its vocabulary.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cornu {

/// A second base of layers that have files of their own in ".keras" archives. They stand in
/// "assets/" followed by the layer's place in the tree of weights.
class HasAssets {
 public:
  virtual ~HasAssets() = default;
  /// Names ("vocabulary.txt") and contents of the files to write; empty when none is needed.
  virtual std::vector<std::pair<std::string, std::string>> assets() const = 0;
  /// Takes the files back: `read(name)` gives a file's content, or nothing when it is not there.
  /// Called once the layer is made, before weights are read.
  virtual void load_assets(
      const std::function<std::optional<std::string>(const std::string& name)>& read) = 0;
};

}  // namespace cornu
