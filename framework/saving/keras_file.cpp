// ".keras" archives and ".weights.h5" files: Model's saving and loading.
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ctime>
#include <filesystem>
#include <map>

#include "../model/functional.h"
#include "../model/sequential.h"
#include "archive.h"
#include "json.h"
#include "weights.h"

namespace cornu {
namespace {

namespace fs = std::filesystem;

bool ends_with(const std::string& text, const char* suffix) { return text.ends_with(suffix); }

uint64_t weight_bytes(Model& model) {
  uint64_t bytes = 4096;
  for (const Variable& v : model.weights()) bytes += 1024 + v.value().bytes();
  if (model.optimizer())
    for (const Variable& v : model.optimizer()->variables()) bytes += 1024 + v.value().bytes();
  return bytes;
}

// The model as {module, class_name, config, registered_name, build_config, compile_config}.
Value model_value(const Model& model) {
  Value::Dict dict = serialize(model).get<Value::Dict>();
  if (!model.build_config().empty()) dict.emplace_back("build_config", model.build_config());
  if (model.compiled()) dict.emplace_back("compile_config", model.compile_config());
  return dict;
}

// Runs `f` and turns every error of ours into a FileError that begins with the file's name.
template <class F>
auto reading(const std::string& path, F&& f) {
  try {
    return f();
  } catch (const FileError& e) {
    const std::string text = e.what();
    throw FileError(text.starts_with(path) || text.starts_with("'" + path + "'") ? text : path + ": " + text);
  } catch (const MemoryError& e) {
    throw MemoryError(path + ": " + e.what());
  } catch (const Error& e) {
    throw FileError(path + ": " + e.what());
  }
}

std::shared_ptr<Model> model_from(const Value& value, bool compile) {
  auto object = deserialize(value);
  auto model = std::dynamic_pointer_cast<Model>(object);
  if (!model) throw FileError("the config describes no model.");
  const auto& dict = value.get<Value::Dict>();
  if (const Value* build = detail::find(dict, "build_config"); build && build->is<Value::Dict>() && !model->built())
    model->build_from_config(build->get<Value::Dict>());
  if (const Value* config = detail::find(dict, "compile_config"); compile && config && config->is<Value::Dict>()) {
    try {
      model->compile_from_config(config->get<Value::Dict>());
    } catch (const Error& e) {
      throw FileError(fmt::format("the compile_config cannot be used: {} Without it, the model can be loaded by "
                                  "load_model(path, false).",
                                  e.what()));
    }
  }
  return model;
}

void require_built(const Model& model, const char* what) {
  if (!model.built())
    throw StateError(fmt::format("{}: model '{}' has no weights yet. Call it on data, or give it an Input, first.", what,
                                 model.name()));
}

// A layer that two stacks or graphs list would come back as two layers, one of them without weights. (A layer that one
// graph calls twice is listed once.)
void refuse_layers_listed_twice(const Layer& container, std::map<const Layer*, const Layer*>& owners) {
  if (!dynamic_cast<const Sequential*>(&container) && !dynamic_cast<const Functional*>(&container)) return;
  for (const auto& layer : container.sublayers()) {
    const auto [owner, first] = owners.emplace(layer.get(), &container);
    if (!first)
      throw UnsupportedError(fmt::format(
          "save: layer '{}' is listed by '{}' and again by '{}', which a file cannot keep. Call it in one of them only, "
          "or save its weights with save_weights and load them into a model made by code.",
          layer->name(), owner->second->name(), container.name()));
    refuse_layers_listed_twice(*layer, owners);
  }
}

constexpr uint64_t config_limit = 256ull << 20;

}  // namespace

void Model::save(const std::string& path) {
  if (!ends_with(path, ".keras"))
    throw ValueError(fmt::format("save: '{}' must end in \".keras\".", path));
  require_built(*this, "save");
  std::map<const Layer*, const Layer*> owners;
  refuse_layers_listed_twice(*this, owners);
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  const Value metadata =
      Value::Dict{{"keras_version", "3.15.1"}, {"date_saved", fmt::format("{:%Y-%m-%d@%H:%M:%S}", local)}};
  const std::string config = saving::to_json(model_value(*this));
  saving::H5Writer weights(weight_bytes(*this));
  saving::write_weights(weights, *this);
  saving::ArchiveWriter archive{fs::path(path)};
  archive.add_text("metadata.json", saving::to_json(metadata));
  archive.add_text("config.json", config);
  archive.add("model.weights.h5", weights.finish());
  archive.finish();
}

void Model::save_weights(const std::string& path) {
  if (!ends_with(path, ".weights.h5"))
    throw ValueError(fmt::format("save_weights: '{}' must end in \".weights.h5\".", path));
  require_built(*this, "save_weights");
  saving::H5Writer file(fs::path(path), weight_bytes(*this));
  saving::write_weights(file, *this);
  file.finish();
}

void Model::load_weights(const std::string& path) {
  require_built(*this, "load_weights");
  reading(path, [&] {
    if (ends_with(path, ".keras")) {
      saving::ArchiveReader archive{fs::path(path)};
      saving::read_weights(saving::H5Reader(archive.map("model.weights.h5"), path), *this);
    } else {
      saving::read_weights(saving::H5Reader{fs::path(path)}, *this);
    }
  });
}

std::string Model::to_json() const { return saving::to_json(model_value(*this)); }

std::shared_ptr<Model> model_from_json(const std::string& json) {
  return model_from(saving::parse_json(json, "model_from_json"), true);
}

std::shared_ptr<Model> load_model(const std::string& path, bool compile) {
  return reading(path, [&] {
    if (ends_with(path, ".h5") || ends_with(path, ".hdf5"))
      throw FileError(fmt::format("{}: HDF5 files of whole models are not read. Open it in Keras 3 and save it as "
                                  "\".keras\"; weights alone (\".weights.h5\") are read by load_weights.",
                                  path));
    saving::ArchiveReader archive{fs::path(path)};
    for (const char* member : {"config.json", "model.weights.h5"})
      if (!archive.has(member))
        throw FileError(fmt::format("{}: the archive has no '{}', so it is no Keras model.", path, member));
    const std::vector<std::byte> bytes = archive.read("config.json", config_limit);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const Value config = saving::parse_json(text, path + ": config.json");
    auto model = model_from(config, compile);
    if (!model->built())
      throw FileError(fmt::format("{}: the file does not say the shape of the model's input, so its weights cannot be made.",
                                  path));
    saving::read_weights(saving::H5Reader(archive.map("model.weights.h5"), path), *model);
    return model;
  });
}

}  // namespace cornu
