// Telling files apart by what is in them.
#include <filesystem>
#include <fstream>

#include "../../backend/error.h"
#include "../io/archive.h"
#include "keras_file.h"
#include "weights.h"

namespace cornu::saving {
namespace {

namespace fs = std::filesystem;

FileKind kind_of_zip(const fs::path& path) {
  try {
    return io::ArchiveReader(path).has("config.json") ? FileKind::archive : FileKind::other_zip;
  } catch (const Error&) {
    return FileKind::other_zip;
  }
}

bool ends_in_zip(const fs::path& path) {
  try {
    (void)io::ArchiveReader(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

FileKind kind_of_hdf5(const fs::path& path) {
  try {
    const io::H5Reader file(path);
    if (file.has_attribute("", "model_config")) return FileKind::legacy_model;
    if (legacy_root(file)) return FileKind::legacy_weights;
    if (file.is_group("layers") || file.is_group("vars") ||
        file.is_group("_layer_checkpoint_dependencies"))
      return FileKind::weights;
  } catch (const Error&) {
  }
  return FileKind::other_hdf5;
}

}  // namespace

FileKind kind_of(const std::string& name) {
  const fs::path path(name);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return FileKind::missing;
  if (fs::is_directory(path, ignored))
    return fs::exists(path / "config.json", ignored) ? FileKind::folder : FileKind::other_folder;
  if (!fs::is_regular_file(path, ignored)) return FileKind::unknown;
  std::ifstream stream(path, std::ios::binary);
  std::string start(4096, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(stream.gcount()));
  if (start.empty()) return FileKind::empty;
  if (start.starts_with("PK")) return kind_of_zip(path);
  if (start.starts_with("\x89HDF\r\n\x1a\n")) return kind_of_hdf5(path);
  const size_t first = start.find_first_not_of(" \t\r\n");
  if (first != start.npos && start[first] == '{') {
    if (start.find("\"weight_map\"") != start.npos || name.ends_with(".weights.json"))
      return FileKind::shard_map;
    return start.find("\"class_name\"") != start.npos ? FileKind::model_json : FileKind::other_json;
  }
  // An archive may have other bytes in front of it.
  return ends_in_zip(path) ? kind_of_zip(path) : FileKind::unknown;
}

std::string describe(FileKind kind) {
  switch (kind) {
    case FileKind::missing:
      return "not there";
    case FileKind::empty:
      return "an empty file";
    case FileKind::archive:
      return "a Keras archive (\".keras\")";
    case FileKind::other_zip:
      return "a zip archive without a model's config.json, or a damaged one";
    case FileKind::folder:
      return "a folder with a Keras model";
    case FileKind::other_folder:
      return "a folder without a model's config.json";
    case FileKind::legacy_model:
      return "a legacy HDF5 file of a whole model (\".h5\")";
    case FileKind::legacy_weights:
      return "a legacy HDF5 file of weights alone (\".h5\")";
    case FileKind::weights:
      return "an HDF5 file of weights (\".weights.h5\")";
    case FileKind::other_hdf5:
      return "an HDF5 file that Keras did not write, or a damaged one";
    case FileKind::shard_map:
      return "the map of weights in several files (\".weights.json\")";
    case FileKind::model_json:
      return "a model's architecture (the text of to_json)";
    case FileKind::other_json:
      return "a JSON file without a model";
    case FileKind::unknown:
      break;
  }
  return "a file of an unknown kind";
}

}  // namespace cornu::saving
