// AssetStore: files that an object keeps beside its weights, as StringLookup its vocabulary.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cornu {

/// The files of one object in a ".keras" archive, where they stand in "assets/" followed by the
/// object's place in the tree of weights. What Keras does with files in a folder is done with their
/// contents here, so that nothing is written outside of the archive.
class AssetStore {
 public:
  /// Gives the content of the file of a name, or nothing when there is none.
  using Reader = std::function<std::optional<std::string>(const std::string& name)>;

  AssetStore() = default;  ///< an empty one, to be written into
  /// The files of an archive.
  explicit AssetStore(Reader reader) : reader_(std::move(reader)) {}

  /// Keeps a file: its name ("vocabulary.txt") and its content.
  void write(const std::string& name, std::string content) {
    files_.emplace_back(name, std::move(content));
  }
  /// The content of a file, or nothing when there is none of this name.
  std::optional<std::string> read(const std::string& name) const {
    if (reader_) return reader_(name);
    for (const auto& [known, content] : files_)
      if (known == name) return content;
    return std::nullopt;
  }
  /// What was written.
  const std::vector<std::pair<std::string, std::string>>& files() const { return files_; }

 private:
  Reader reader_;
  std::vector<std::pair<std::string, std::string>> files_;
};

}  // namespace cornu
