// A model's folder in a zoo of Keras files: the files of one model, its data, and what Keras
// computed.
#pragma once
#include <cornu/framework/io/h5_file.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compare.h"

namespace cornu::zoo {

/// Whether a folder holds a model: it has an io.h5.
bool is_model_folder(const std::filesystem::path& path);
/// The models in a folder (or the folder itself), by name.
std::vector<std::filesystem::path> find_models(const std::filesystem::path& path);

class ModelFolder {
 public:
  /// Opens io.h5 and meta.json (which may be missing). Throws FileError.
  explicit ModelFolder(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::string name() const { return path_.filename().string(); }
  bool has_file(const std::string& name) const;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// The text of a file.
  std::string text(const std::string& name) const;

  /// Whether io.h5 has this group.
  bool has(const std::string& group) const;
  /// The tensors of a group, in the structure that its attribute tells.
  Nest nest(const std::string& group) const;
  /// The numbered tensors of a group, each with the path in its attribute.
  NamedTensors list(const std::string& group) const;
  /// A group's attributes.
  Figures figures(const std::string& group) const;
  double number(const std::string& group, const std::string& attribute) const;

  /// Whether Keras trained the model.
  bool trained() const { return has("train"); }
  /// Whether weights files lack part of the model: vocabularies, which only archives keep.
  bool weights_are_partial() const { return weights_are_partial_; }
  bool needs_tensorflow() const { return needs_tensorflow_; }
  /// Whether Keras can open its own legacy file of this model.
  bool legacy_is_readable() const { return legacy_is_readable_; }

  /// For predictions.
  Tolerance predict_tolerance() const { return predict_; }
  /// For `stage` "train" or "resume" and what is compared: "history", "weights_after", ...
  Tolerance train_tolerance(const std::string& stage, const std::string& what) const;

 private:
  Tensor tensor(const std::string& dataset) const;
  void read_meta();

  std::filesystem::path path_;
  std::unique_ptr<io::H5Reader> io_;
  bool weights_are_partial_ = false;
  bool needs_tensorflow_ = false;
  bool legacy_is_readable_ = true;
  double floor_ = 1e-5;  // relative, whatever was measured
  Tolerance predict_;
  std::map<std::string, double> measured_;  // "train/history" and so on
};

}  // namespace cornu::zoo
