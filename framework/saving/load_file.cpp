// Reading models and weights from all of Keras's forms.
#include <fmt/core.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <new>
#include <set>

#include "../../backend/log.h"
#include "../base/assets.h"
#include "../config/loading.h"
#include "dict.h"
#include "json.h"
#include "keras_file.h"
#include "model_package.h"
#include "version_adapters.h"
#include "weights.h"

namespace cornu {
namespace saving {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t config_limit = uint64_t{64} << 20;
constexpr uint64_t asset_limit = uint64_t{64} << 20;

// Runs `f` and turns every error into a FileError that begins with the file's name.
template <class F>
auto reading(const std::string& path, F&& f) {
  const auto named = [&](const std::string& text) {
    return text.starts_with(path) || text.starts_with("'" + path) ? text : path + ": " + text;
  };
  try {
    return f();
  } catch (const Error& e) {
    throw FileError(named(e.what()));
  } catch (const std::bad_alloc&) {
    throw FileError(named("there is not enough memory to read it."));
  } catch (const std::exception& e) {
    throw FileError(named(fmt::format("it cannot be read: {}.", e.what())));
  }
}

// NaN and infinities are no layer's option; in a graph's calls and constants they may stand. Names
// have no NUL.
void refuse_odd_values(const Value& value, const std::string& where) {
  if (value.is<double>() && !std::isfinite(value.get<double>()))
    throw FileError(
        fmt::format("the config holds NaN or Infinity as {}, which no option may be.", where));
  if (value.is<Value::List>())
    for (const Value& e : value.get<Value::List>()) refuse_odd_values(e, where);
  if (!value.is<Value::Dict>()) return;
  const auto& d = value.get<Value::Dict>();
  const std::string class_name = dict::text(d, "class_name");
  if (class_name == "__numpy__" || class_name == "__tensor__" ||
      dict::text(d, "module").starts_with("keras.src.ops."))
    return;
  const Value::Dict* config = dict::find_dict(d, "config");
  const std::string name = config ? dict::text(*config, "name") : "";
  for (const auto& [key, e] : d) {
    // HDF5 would cut a name there and find another object; error texts end there.
    const bool names =
        key == "name" || key == "class_name" || key == "module" || key == "registered_name";
    if (names && e.is<std::string>() && e.get<std::string>().find('\0') != std::string::npos)
      throw FileError("the config holds a name with a NUL character in it.");
    if (key != "inbound_nodes")
      refuse_odd_values(
          e, name.empty() ? fmt::format("'{}'", key) : fmt::format("'{}' of '{}'", key, name));
  }
}

// The model that a config describes, with weights that wait for their values.
std::shared_ptr<Model> build(const Value& value, uint64_t stored) {
  // Weights are stored in at least half of their memory; what is very small may be compressed
  // further.
  constexpr uint64_t free_size = uint64_t{64} << 20, expansion = 64;
  const LoadingScope weights(free_size +
                             std::min(stored, UINT64_MAX / (2 * expansion)) * expansion);
  const SharedObjectsScope objects(SharedObjectsScope::Mode::reading);
  const auto model = std::dynamic_pointer_cast<Model>(deserialize(value));
  if (!model) throw FileError("the config describes no model.");
  if (const Value::Dict* config = dict::find_dict(value.get<Value::Dict>(), "build_config");
      config && !model->built())
    model->build_from_config(*config);
  if (!model->built())
    throw FileError(
        "the file does not say the shape of the model's input, so its weights cannot be made.");
  return model;
}

void compile(Model& model, const Value& config) {
  if (!config.is<Value::Dict>()) return;
  try {
    const auto& options = config.get<Value::Dict>();
    if (const Value* optimizer = dict::find(options, "optimizer");
        !optimizer || optimizer->is_null())
      warn_once(fmt::format("Model '{}': its file names no optimizer; it is compiled with RMSprop.",
                            model.name()));
    model.compile_from_config(options);
  } catch (const Error& e) {
    throw FileError(
        fmt::format("the compile_config cannot be used: {} Without it, the model can be loaded by "
                    "load_model(path, false).",
                    e.what()));
  }
}

Value parse_config(const std::string& text, const std::string& source) {
  const Value value = parse_json(text, source, NonNumbers::allow);
  if (!value.is<Value::Dict>())
    throw FileError(fmt::format("{}: expected an object that describes a model, found {}.", source,
                                value.kind()));
  refuse_odd_values(value, "a value");
  return value;
}

// compile_config of an upgraded model's object, with today's names.
Value compile_config_in(const Value& model) {
  const Value* config = dict::find(model.get<Value::Dict>(), "compile_config");
  if (!config || !config->is<Value::Dict>()) return {};
  return upgrade_compile_config(config->get<Value::Dict>(), output_names_of(model));
}

// Bytes that a genuine file of this model's weights and an optimizer's state may have.
uint64_t needed(Model& model) { return 8 * weight_bytes(model) + (uint64_t{16} << 20); }

void read_assets(const PackageReader& package, Model& model) {
  std::set<Layer*> done;
  for (const WeightEntry& entry : weight_entries(model)) {
    auto* layer = dynamic_cast<HasAssets*>(entry.layer);
    if (!layer || !done.insert(entry.layer).second) continue;
    const std::string folder = "assets/" + (entry.path.empty() ? "" : entry.path + "/");
    layer->load_assets([&](const std::string& name) -> std::optional<std::string> {
      if (!package.has(folder + name)) return std::nullopt;
      return package.text(folder + name, asset_limit);
    });
  }
}

constexpr const char* weights_member = "model.weights.h5";

std::shared_ptr<Model> load_package(const std::string& path, bool with_compile) {
  const PackageReader package{fs::path(path)};
  if (!package.has("config.json"))
    throw FileError(
        fmt::format("{}: the archive has no 'config.json', so it is no Keras model.", path));
  if (!package.has(weights_member)) {
    if (package.has("model.weights.npz"))
      throw FileError(
          fmt::format("{}: its weights are a 'model.weights.npz', which is not read. Load it in "
                      "Keras 3 and save it again.",
                      path));
    throw FileError(
        fmt::format("{}: the archive has no '{}', so it is no Keras model.", path, weights_member));
  }
  const Value config = upgrade_model(
      parse_config(package.text("config.json", config_limit), path + ": config.json"));
  const auto model = build(config, package.stored_size(weights_member));
  if (with_compile) compile(*model, compile_config_in(config));
  read_assets(package, *model);
  const WeightTree tree(package.open_h5(weights_member, needed(*model)));
  read_weights(tree, *model, {.fresh = true, .optimizer = with_compile});
  return model;
}

std::shared_ptr<Model> load_legacy(const std::string& path, bool with_compile) {
  const H5Reader file{fs::path(path)};
  if (!file.has_attribute("", "model_config")) {
    const bool weights =
        file.is_group("layers") || file.is_group("vars") || legacy_root(file).has_value();
    throw FileError(fmt::format(
        "{}: the file has no attribute 'model_config', so it holds no whole model.{}", path,
        weights ? " It seems to hold weights alone: make the model, then call load_weights." : ""));
  }
  const std::string text = file.string_attribute("", "model_config");
  if (text.size() > config_limit)
    throw FileError(fmt::format("{}: model_config has {} bytes.", path, text.size()));
  const Value config = upgrade_model(parse_config(text, path + ": model_config"));
  const auto model = build(config, fs::file_size(path));
  const bool compiled = with_compile && file.has_attribute("", "training_config");
  if (compiled) {
    const Value training =
        parse_config(file.string_attribute("", "training_config"), path + ": training_config");
    compile(*model, compile_config_of(training.get<Value::Dict>(), output_names_of(config)));
  }
  if (!file.is_group("model_weights"))
    throw FileError(fmt::format("{}: the group 'model_weights' is missing.", path));
  read_legacy_weights(file, "model_weights", *model, {.fresh = true});
  if (compiled) read_legacy_optimizer(file, *model);
  return model;
}

[[noreturn]] void wrong_form(const std::string& path, FileKind kind, const std::string& expected) {
  if (kind == FileKind::missing) throw FileError(fmt::format("'{}': no such file.", path));
  throw FileError(fmt::format("'{}' is {}; {}", path, describe(kind), expected));
}

}  // namespace

void load_weights(Model& model, const std::string& path, const LoadWeightsOptions& given) {
  if (!model.built())
    throw StateError(fmt::format(
        "load_weights: model '{}' has no weights yet. Call it on data, or give it an Input, first.",
        model.name()));
  reading(path, [&] {
    const ReadOptions options{
        .fresh = false, .skip_mismatch = given.skip_mismatch, .by_name = given.by_name};
    const auto only_legacy = [&] {
      if (given.by_name) throw FileError("by_name is for legacy \".h5\" files only.");
    };
    const FileKind kind = kind_of(path);
    switch (kind) {
      case FileKind::archive:
      case FileKind::other_zip:
      case FileKind::folder: {
        only_legacy();
        const PackageReader package{fs::path(path)};
        if (!package.has(weights_member))
          throw FileError(fmt::format("{}: the archive has no '{}'.", path, weights_member));
        return read_weights(WeightTree(package.open_h5(weights_member, needed(model))), model,
                            options);
      }
      case FileKind::shard_map:
        only_legacy();
        return read_weights(WeightTree::of_shards(path), model, options);
      case FileKind::legacy_model:
      case FileKind::legacy_weights:
      case FileKind::weights:
      case FileKind::other_hdf5: {
        H5Reader file{fs::path(path)};
        if (const auto root = legacy_root(file))
          return read_legacy_weights(file, *root, model, options);
        only_legacy();
        return read_weights(WeightTree(std::move(file)), model, options);
      }
      default:
        wrong_form(path, kind,
                   "expected weights: \".weights.h5\", \".weights.json\", \".keras\" or a legacy "
                   "\".h5\".");
    }
  });
}

}  // namespace saving

void Model::load_weights(const std::string& path) { saving::load_weights(*this, path); }

std::shared_ptr<Model> model_from_json(const std::string& json) {
  using namespace saving;
  const Value config = upgrade_model(parse_config(json, "model_from_json"));
  const SharedObjectsScope objects(SharedObjectsScope::Mode::reading);
  auto model = std::dynamic_pointer_cast<Model>(deserialize(config));
  if (!model) throw FileError("model_from_json: the config describes no model.");
  if (const Value::Dict* build = dict::find_dict(config.get<Value::Dict>(), "build_config");
      build && !model->built())
    model->build_from_config(*build);
  compile(*model, compile_config_in(config));
  return model;
}

std::shared_ptr<Model> load_model(const std::string& path, bool compile) {
  using namespace saving;
  return reading(path, [&]() -> std::shared_ptr<Model> {
    const FileKind kind = kind_of(path);
    const bool legacy_name = path.ends_with(".h5") || path.ends_with(".hdf5");
    switch (kind) {
      case FileKind::folder:
        return load_package(path, compile);
      case FileKind::archive:
      case FileKind::other_zip:
        if (path.ends_with(".keras")) return load_package(path, compile);
        wrong_form(path, kind, "rename it to end in \".keras\" to load it.");
      case FileKind::legacy_model:
      case FileKind::other_hdf5:
      case FileKind::legacy_weights:
      case FileKind::weights:
        if (legacy_name) return load_legacy(path, compile);
        wrong_form(path, kind,
                   kind == FileKind::legacy_model
                       ? "rename it to end in \".h5\" to load it."
                       : "it is not a model; expected a \".keras\" archive.");
      case FileKind::model_json:
        wrong_form(path, kind, "give its text to model_from_json, then load weights.");
      case FileKind::shard_map:
        wrong_form(path, kind, "make the model, then call load_weights.");
      case FileKind::empty:
      case FileKind::unknown:
        if (path.ends_with(".keras")) return load_package(path, compile);  // its error says more
        [[fallthrough]];
      default:
        wrong_form(path, kind,
                   "expected a model: a \".keras\" archive or folder, or a legacy \".h5\" file.");
    }
  });
}

}  // namespace cornu
