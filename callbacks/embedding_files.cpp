// Vectors as the projector reads them.
#include "embedding_files.h"

#include <fmt/core.h>

#include <filesystem>

#include "../framework/io/atomic_file.h"

namespace cornu::callbacks {
namespace {

namespace fs = std::filesystem;

// Layers are above callbacks' sight, so an Embedding is known by its name in Keras.
bool is_embedding(const Layer& layer) {
  const ClassInfo* info = catalog().find_class(layer);
  return info && info->module == "keras.layers" &&
         (info->class_name == "Embedding" || info->class_name == "ReversibleEmbedding");
}

std::vector<std::shared_ptr<Layer>> embeddings_of(const Model& model) {
  std::vector<std::shared_ptr<Layer>> found;
  for (const auto& layer : model.sublayers())
    if (is_embedding(*layer)) found.push_back(layer);
  return found;
}

void write_text(const fs::path& path, const std::string& text) {
  io::write_file(path, std::as_bytes(std::span(text)));
}

std::string table(const Tensor& vectors) {
  const auto columns = static_cast<size_t>(vectors.shape(1));
  std::string text;
  const std::vector<float> values = vectors.to_vector<float>();
  for (size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}", values[i], (i + 1) % columns == 0 ? '\n' : '\t');
  return text;
}

// A string of protobuf's text format.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text)
    result += c == '"' || c == '\\' ? std::string{'\\', c} : c == '\n' ? "\\n" : std::string(1, c);
  return result + "\"";
}

}  // namespace

void check_metadata(const Model& model, const EmbeddingsMetadata& metadata) {
  std::vector<std::string> names;
  for (const auto& layer : embeddings_of(model)) names.push_back(layer->name());
  for (const auto& [name, file] : metadata.by_layer())
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw ValueError(fmt::format(
          "TensorBoard: embeddings_metadata has a file for '{}', which is no Embedding layer of "
          "the model.{}",
          name, did_you_mean(name, names)));
}

void write_embedding_files(const Model& model, const std::string& folder,
                           const EmbeddingsMetadata& metadata) {
  io::make_folder(folder, "TensorBoard");
  std::string config;
  for (const auto& layer : embeddings_of(model)) {
    const std::vector<Variable> weights = layer->weights();
    if (weights.empty() || weights[0].shape().rank() != 2) continue;
    const std::string file = layer->name() + ".tsv", labels = metadata.of(layer->name());
    write_text(fs::path(folder) / file, table(weights[0].value()));
    config += fmt::format("embeddings {{\n  tensor_name: {}\n  tensor_path: {}\n",
                          quoted(weights[0].path()), quoted(file));
    if (!labels.empty()) config += fmt::format("  metadata_path: {}\n", quoted(labels));
    config += "}\n";
  }
  write_text(fs::path(folder) / "projector_config.pbtxt", config);
}

}  // namespace cornu::callbacks
