// Files of TensorBoard's projector: the vectors of Embedding layers, and where they are.
#pragma once
#include "../framework/model/model.h"
#include "tensorboard.h"

namespace cornu::callbacks {

/// Throws ValueError with a did-you-mean when `metadata` names what is no Embedding layer directly
/// inside of the model.
void check_metadata(const Model& model, const EmbeddingsMetadata& metadata);

/// Writes <layer>.tsv into the folder for each Embedding layer directly inside of the model, a row
/// for each vector, and projector_config.pbtxt, which lists them. Throws FileError.
void write_embedding_files(const Model& model, const std::string& folder,
                           const EmbeddingsMetadata& metadata);

}  // namespace cornu::callbacks
