// Options of reading and writing models' files.
#pragma once
#include <optional>

namespace cornu::saving {

/// Options of save_model, as in Keras.
struct SaveOptions {
  /// Whether a file of this name may be replaced; false: that is a FileError.
  bool overwrite = true;
  /// Without a value the name decides. false: a folder with the archive's members as files.
  std::optional<bool> zipped = {};
  /// Legacy files: compile's arguments and the optimizer's state as well.
  bool include_optimizer = true;
};

/// Options of save_weights, as in Keras.
struct SaveWeightsOptions {
  /// Whether a file of this name may be replaced; false: that is a FileError.
  bool overwrite = true;
  /// In gigabytes (10^9 bytes): weights go to files of at most this size, and `path` is the map of
  /// them, ".weights.json".
  std::optional<double> max_shard_size = {};
};

/// Options of load_weights, as in Keras.
struct LoadWeightsOptions {
  /// Legacy files: by the layers' names instead of their order; others keep their weights.
  bool by_name = false;
  /// Layers whose weights do not fit keep theirs, with a warning.
  bool skip_mismatch = false;
};

}  // namespace cornu::saving
