// Reading io.h5 and meta.json.
#include "folder.h"

#include <cornu/backend/error.h>
#include <cornu/framework/io/archive.h>
#include <hdf5.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace cornu::zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr uint64_t largest_dataset = 1ull << 30;
// Another implementation may differ by this many times what Keras's other backend does.
constexpr double margin = 10;

Nest build_nest(const Json& structure, const std::function<Tensor(int64_t)>& leaf) {
  if (structure.is_number_integer()) return leaf(structure.get<int64_t>());
  if (structure.is_array()) {
    Nest::List list;
    for (const Json& item : structure) list.push_back(build_nest(item, leaf));
    return list;
  }
  if (structure.is_object()) {
    Nest::Dict dict;
    for (const auto& [key, item] : structure.items())
      dict.emplace_back(key, build_nest(item, leaf));
    return Nest::dict(std::move(dict));
  }
  throw FileError("io.h5: a structure holds " + structure.dump() + ".");
}

// In a file that is trusted: listing attributes is nothing that the reader of models does.
std::vector<std::string> attribute_names(const fs::path& file, const std::string& group) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);  // as the reader has it open
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, access);
  H5Pclose(access);
  const herr_t status = H5Aiterate_by_name(opened, group.c_str(), H5_INDEX_NAME, H5_ITER_INC,
                                           nullptr, add, &names, H5P_DEFAULT);
  H5Fclose(opened);
  if (status < 0)
    throw FileError(file.string() + ": cannot list the attributes of '" + group + "'.");
  return names;
}

double number_in(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_number() ? it->get<double>() : 0;
}

}  // namespace

bool is_model_folder(const fs::path& path) { return fs::is_regular_file(path / "io.h5"); }

std::vector<fs::path> find_models(const fs::path& path) {
  if (is_model_folder(path)) return {path};
  std::vector<fs::path> models;
  if (fs::is_directory(path))
    for (const auto& entry : fs::directory_iterator(path))
      if (is_model_folder(entry.path())) models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  return models;
}

ModelFolder::ModelFolder(const fs::path& path)
    : path_(path), io_(std::make_unique<io::H5Reader>(path / "io.h5")) {
  read_meta();
}

bool ModelFolder::has_file(const std::string& name) const { return fs::exists(path_ / name); }

std::string ModelFolder::text(const std::string& name) const {
  std::ifstream in(path_ / name, std::ios::binary);
  if (!in) throw FileError("'" + file(name) + "' cannot be read.");
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void ModelFolder::read_meta() {
  std::string config;
  if (has_file("model.json")) config = text("model.json");
  // 16-bit computation, and an interpolation whose weights Keras's backends compute differently.
  if (config.find("float16") != std::string::npos)
    floor_ = 1e-2;
  else if (config.find("bicubic") != std::string::npos)
    floor_ = 1e-3;
  predict_ = {0, floor_};
  if (!has_file("meta.json")) return;
  const Json meta = Json::parse(text("meta.json"), nullptr, false);
  if (!meta.is_object()) return;
  needs_tensorflow_ = meta.contains("needs") && meta["needs"] == "tensorflow";
  const std::string writer = meta.value("written_by", "");
  const auto verification = meta.find("verification");
  if (verification == meta.end() || !verification->is_object()) return;
  for (const auto& [backend, results] : verification->items()) {
    if (!results.is_object()) continue;
    for (const auto& [file, result] : results.items())
      if (file.find("weights") != std::string::npos && result.is_object() &&
          result.contains("skipped"))
        weights_are_partial_ = true;
    if (writer.starts_with("keras 3") && results.contains("model.h5") &&
        results["model.h5"].contains("error"))
      legacy_is_readable_ = false;
    // What the backend that did not write the file measured.
    if (writer.find(backend) != std::string::npos || backend == "tf_keras") continue;
    for (const auto& [file, result] : results.items())
      if (result.is_object() && (file == "model.keras" || file == "model.h5"))
        predict_.relative = std::max(predict_.relative, margin * number_in(result, "max_rel"));
    // TensorFlow trains an Embedding with sparse gradients, which other backends do not have.
    if (config.find("\"Embedding\"") != std::string::npos) continue;
    for (const char* stage : {"train", "resume"})
      if (results.contains(stage) && results[stage].is_object())
        for (const auto& [what, value] : results[stage].items())
          if (value.is_number()) measured_[std::string(stage) + "/" + what] = value.get<double>();
  }
}

Tolerance ModelFolder::train_tolerance(const std::string& stage, const std::string& what) const {
  const auto it = measured_.find(stage + "/" + what);
  return {it == measured_.end() ? 0 : margin * it->second, floor_};
}

bool ModelFolder::has(const std::string& group) const { return io_->exists(group); }

Tensor ModelFolder::tensor(const std::string& dataset) const {
  if (const std::optional<Shape> shape = io_->string_shape(dataset))
    return Tensor::strings(io_->read_strings(dataset), *shape);
  const io::H5Info info = io_->info(dataset);
  const std::vector<std::byte> bytes = io_->read(dataset, largest_dataset);
  return Tensor::copy_of(bytes.data(), info.shape, info.dtype);
}

Nest ModelFolder::nest(const std::string& group) const {
  const Json structure = Json::parse(io_->string_attribute(group, "structure"), nullptr, false);
  return build_nest(structure, [&](int64_t i) { return tensor(group + "/" + std::to_string(i)); });
}

NamedTensors ModelFolder::list(const std::string& group) const {
  NamedTensors result;
  for (size_t i = 0; i < io_->children(group).size(); ++i) {
    const std::string dataset = group + "/" + std::to_string(i);
    result.emplace_back(
        io_->has_attribute(dataset, "path") ? io_->string_attribute(dataset, "path") : "",
        tensor(dataset));
  }
  return result;
}

Figures ModelFolder::figures(const std::string& group) const {
  Figures result;
  for (const std::string& name : attribute_names(path_ / "io.h5", group))
    result[name] = io_->numbers_attribute(group, name);
  return result;
}

double ModelFolder::number(const std::string& group, const std::string& attribute) const {
  return io_->number_attribute(group, attribute);
}

}  // namespace cornu::zoo
