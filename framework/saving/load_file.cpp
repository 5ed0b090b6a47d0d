// Reading models and weights from all of Keras's forms.
#include <fmt/core.h>

#include <exception>
#include <filesystem>
#include <new>
#include <set>

#include "../base/class_of.h"
#include "../config/json.h"
#include "../config/loading.h"
#include "dict.h"
#include "keras_file.h"
#include "model_config.h"
#include "model_package.h"
#include "version_adapters.h"
#include "weights.h"

namespace cornu {
namespace saving {
namespace {

namespace fs = std::filesystem;

// Sizes that a file states are not believed: each member has a limit that no honest model reaches.
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

// A weight that the model does not have is in no file, and would stay undefined.
void check_claims(const LoadingScope& scope, const Model& model) {
  std::set<const cornu::detail::TensorImpl*> known;
  for (const Variable& v : model.weights()) known.insert(v.stored().impl());
  for (const auto& [path, room] : scope.claims())
    if (!known.contains(room.impl()) && room.impl()->references.load(std::memory_order_relaxed) > 1)
      throw ValueError(fmt::format(
          "weight '{}' is in no file, since the layer that calls its layer does not track it. "
          "Write track(\"name\", layer) in the constructor of the class that holds the layer.",
          path));
}

// The model that a file's config describes, with weights that wait for their values.
std::shared_ptr<Model> build(const Value& config, uint64_t stored) {
  // Weights are stored in at least half of their memory; what is very small may be compressed
  // further.
  constexpr uint64_t free_size = uint64_t{64} << 20, expansion = 64;
  // A config of a few bytes could ask for terabytes of weights: the size of the stored weights
  // bounds what is allocated before anything is read.
  const LoadingScope weights(free_size +
                             std::min(stored, UINT64_MAX / (2 * expansion)) * expansion);
  auto model = make_built_model(config);
  check_claims(weights, *model);
  return model;
}

// Bytes that a genuine file of this model's weights and an optimizer's state may have.
uint64_t needed(Model& model) { return 8 * weight_bytes(model) + (uint64_t{16} << 20); }

// The Keras that wrote a file; "" when it does not say so.
std::string version_of(const Value& metadata) {
  return metadata.is<Value::Dict>() ? dict::text(metadata.get<Value::Dict>(), "keras_version") : "";
}

std::string version_of(const PackageReader& package) {
  constexpr const char* member = "metadata.json";
  constexpr uint64_t limit = uint64_t{1} << 20;
  try {
    return package.has(member) ? version_of(parse_json(package.text(member, limit), member)) : "";
  } catch (const Error&) {
    return "";  // Keras does not read it either
  }
}

std::string version_of(const io::H5Reader& file) {
  // Every Keras 3 says which it is in legacy files.
  if (!file.has_attribute("", "keras_version")) return "2.0";
  return file.string_attribute("", "keras_version");
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
  Value config = upgrade_model(
      parse_config(package.text("config.json", config_limit), path + ": config.json"));
  // hard_sigmoid changed its meaning between the versions, under the same name.
  if (is_keras2(version_of(package))) config = keep_keras2_activations(config);
  const auto model = build(config, package.stored_size(weights_member));
  // Before the weights: the optimizer's state is read into variables that compiling makes.
  if (with_compile) compile_model(*model, compile_config_in(config));
  read_assets(*model, [&](const std::string& member) -> std::optional<std::string> {
    if (!package.has(member)) return std::nullopt;
    return package.text(member, asset_limit);
  });
  const WeightTree tree(package.open_h5(weights_member, needed(*model)));
  read_weights(tree, *model, {.fresh = true, .optimizer = with_compile});
  return model;
}

std::shared_ptr<Model> load_legacy(const std::string& path, bool with_compile) {
  const io::H5Reader file{fs::path(path)};
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
  Value config = upgrade_model(parse_config(text, path + ": model_config"));
  if (is_keras2(version_of(file))) config = keep_keras2_activations(config);
  const auto model = build(config, fs::file_size(path));
  const bool compiled = with_compile && file.has_attribute("", "training_config");
  if (compiled) {
    const Value training =
        parse_config(file.string_attribute("", "training_config"), path + ": training_config");
    compile_model(*model, compile_config_of(training.get<Value::Dict>(), output_names_of(config)));
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
        "load_weights: model '{}' has no weights yet. Call it on data, or give it an Input, first; "
        "a model without a call, whose train_step calls its layers, is built by build(shape) once "
        "they are.",
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
        io::H5Reader file{fs::path(path)};
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

void Model::load_weights(const std::string& path, const saving::LoadWeightsOptions& options) {
  saving::load_weights(*this, path, options);
}

void detail::wrong_model(const std::string& path, const Model& found) {
  throw ValueError(
      fmt::format("load_model: '{}' holds a model of the class {}, which is not the one asked for.",
                  path, class_of(found)));
}

Handle<Model> model_from_json(const std::string& json) {
  using namespace saving;
  const Value given = parse_config(json, "model_from_json");
  Value config = upgrade_model(given);
  if (is_keras2(version_of(given))) config = keep_keras2_activations(config);
  auto model = make_model(config);
  compile_model(*model, compile_config_in(config));
  return model;
}

Handle<Model> load_model(const std::string& path, LoadOptions options) {
  using namespace saving;
  const bool compile = options.compile;
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
