// KerasFileEditor: looks into and changes the tree of weights in a file.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../model/model.h"

namespace cornu::saving {

/// Fits an old file of weights to a model whose architecture has changed: objects (layers, mostly)
/// and their weights are renamed, taken out and put in, and the result is saved anew.
///
///   KerasFileEditor editor("old.weights.h5");
///   editor.rename_object("layers/dense_2", "dense_1");
///   editor.add_object("layers/dense_2", {{"0", kernel}, {"1", bias}});
///   editor.save("new.weights.h5");
///
/// An object is named by its path ("layers/dense_2"), or by its last name alone where only one
/// object has it. "" is the model itself. The file that was opened is never changed, unless save
/// writes over it. Errors throw FileError for files and ValueError, with a did-you-mean, for names.
class KerasFileEditor {
 public:
  /// Weights by name, as files have them: "0", "1", ...
  using Weights = std::vector<std::pair<std::string, Tensor>>;

  /// Opens a ".weights.h5", or a ".keras" archive. All weights are read.
  explicit KerasFileEditor(const std::string& path);
  ~KerasFileEditor();
  KerasFileEditor(KerasFileEditor&&) noexcept;  ///< the other one may then only be destroyed
  KerasFileEditor& operator=(KerasFileEditor&&) noexcept;  ///< likewise

  /// The tree of objects with the shape, dtype and size of each weight, for people.
  std::string summary() const;
  /// Paths of all objects that hold weights, in the order of the file.
  std::vector<std::string> objects() const;
  /// The weights of an object.
  Weights weights(const std::string& object) const;
  /// config.json and metadata.json of an archive; empty for a file of weights alone.
  const std::string& config() const;
  /// The text of metadata.json; empty for a file of weights alone.
  const std::string& metadata() const;

  /// What compare found.
  struct Comparison {
    int64_t match_count = 0;          ///< weights that are on both sides in the same shape
    std::vector<std::string> errors;  ///< a line for each object and weight that is not
    bool success() const { return errors.empty(); }  ///< whether everything fits
  };
  /// Compares the file with the weights that `reference` would save, which must be built.
  Comparison compare(Model& reference) const;

  /// Gives an object another last name. Throws ValueError when another object has it.
  void rename_object(const std::string& object, const std::string& new_name);
  /// Takes an object out, with the objects inside it.
  void delete_object(const std::string& object);
  /// Puts an object in; the object above it must be there, and none of its own path.
  void add_object(const std::string& path, const Weights& weights);
  /// Takes a weight out of an object. The others keep their names.
  void delete_weight(const std::string& object, const std::string& weight);
  /// Puts weights into an object; those of the same names are replaced.
  void add_weights(const std::string& object, const Weights& weights);

  /// Writes the edited weights to a ".weights.h5"; from an archive also to a ".keras", which keeps
  /// everything else as it was. The new file appears whole, or not at all.
  void save(const std::string& path) const;
  /// The same as save.
  void resave_weights(const std::string& path) const { save(path); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cornu::saving
