// Files of whole models and of weights, in all of Keras's forms.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "../model/model.h"

namespace cornu::saving {

/// Options of save_model, as in Keras.
struct SaveOptions {
  /// Without a value the name decides. false: a folder with the archive's members as files.
  std::optional<bool> zipped = {};
  /// Legacy files: compile's arguments and the optimizer's state as well.
  bool include_optimizer = true;
};

/// Writes a model: ".keras" is an archive, ".h5" and ".hdf5" are legacy files. Throws ValueError
/// for another name, StateError when the model has no weights yet, an object cannot be saved or the
/// file could not be loaded, FileError. The old file stays until the new one is whole.
void save_model(Model& model, const std::string& path, const SaveOptions& options = {});

/// Options of save_weights, as in Keras.
struct SaveWeightsOptions {
  /// In gigabytes (10^9 bytes): weights go to files of at most this size, and `path` is the map of
  /// them, ".weights.json".
  std::optional<double> max_shard_size = {};
};

/// Writes weights and the optimizer's state: ".weights.h5", or shards.
void save_weights(Model& model, const std::string& path, const SaveWeightsOptions& options = {});

/// Options of load_weights, as in Keras.
struct LoadWeightsOptions {
  /// Legacy files: by the layers' names instead of their order; others keep their weights.
  bool by_name = false;
  /// Layers whose weights do not fit keep theirs, with a warning.
  bool skip_mismatch = false;
};

/// Reads weights from any form: ".keras" (archive or folder), ".weights.h5", ".weights.json",
/// legacy
/// ".h5". Throws FileError; the model is as before then.
void load_weights(Model& model, const std::string& path, const LoadWeightsOptions& options = {});

/// What a file is, found by looking inside.
enum class FileKind : uint8_t {
  missing,
  empty,
  archive,
  other_zip,
  folder,
  other_folder,
  legacy_model,
  legacy_weights,
  weights,
  other_hdf5,
  shard_map,
  model_json,
  other_json,
  unknown
};
/// Looks at the file's first bytes and its members; throws nothing for what is damaged.
FileKind kind_of(const std::string& path);
/// "a Keras archive (\".keras\")", for people.
std::string describe(FileKind kind);

}  // namespace cornu::saving
