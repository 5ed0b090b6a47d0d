// Keras's file of settings, ~/.keras/keras.json.
#pragma once
#include <optional>
#include <string>

#include "../../backend/dtype.h"

namespace cornu::config {

/// What the file says of Cornu's settings.
struct KerasJson {
  std::optional<DType> floatx = {};         ///< dtype of weights and new tensors
  std::optional<bool> channels_first = {};  ///< whether images have their channels first
};

/// Reads such a file; there need be none. A file that cannot be read, and an entry that is wrong or
/// that Cornu cannot follow, are left out with a warning that names the file. Entries that mean
/// nothing here, such as "backend", are passed over.
KerasJson read_keras_json(const std::string& path);

}  // namespace cornu::config
