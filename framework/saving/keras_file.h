// Files of whole models and of weights, in all of Keras's forms.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "../model/model.h"

namespace cornu::saving {

/// Writes a model: ".keras" is an archive, ".h5" and ".hdf5" are legacy files. Throws ValueError
/// for another name, StateError when the model has no weights yet, an object cannot be saved or the
/// file could not be loaded, FileError. The old file stays until the new one is whole.
void save_model(Model& model, const std::string& path, const SaveOptions& options = {});

/// Writes weights and the optimizer's state: ".weights.h5", or shards.
void save_weights(Model& model, const std::string& path, const SaveWeightsOptions& options = {});

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
