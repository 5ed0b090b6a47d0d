// Writing models: ".keras" archives and folders, ".weights.h5" and shards, legacy ".h5".
#include "keras_file.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <map>

#include "../config/json.h"
#include "../config/loading.h"
#include "../model/functional.h"
#include "../model/sequential.h"
#include "dict.h"
#include "model_config.h"
#include "model_package.h"
#include "save_check.h"
#include "version_adapters.h"
#include "weights.h"

namespace cornu {
namespace saving {
namespace {

namespace fs = std::filesystem;

constexpr const char* keras_version = "3.15.1";

// The model as {module, class_name, config, registered_name, build_config, compile_config}.
Value model_value(const Model& model) {
  Value::Dict dict = serialize(model).get<Value::Dict>();
  if (!model.get_build_config().empty())
    dict.emplace_back("build_config", model.get_build_config());
  if (model.compiled()) dict.emplace_back("compile_config", model.get_compile_config());
  return dict;
}

void require_built(const Model& model, const char* what) {
  if (!model.built())
    throw StateError(fmt::format(
        "{}: model '{}' has no weights yet. Call it on data, or give it an Input, first; a model "
        "without a call, whose train_step calls its layers, is built by build(shape) once they "
        "are.",
        what, model.name()));
}

// --- Shared objects
// -------------------------------------------------------------------------------------

constexpr const char* id_key = "shared_object_id";

// How often each number occurs, and whether all objects of a number are equal.
struct Occurrences {
  std::map<int64_t, int> count;
  std::map<int64_t, std::string> config;

  void collect(const Value& value) {
    if (value.is<Value::List>()) {
      for (const Value& e : value.get<Value::List>()) collect(e);
    } else if (value.is<Value::Dict>()) {
      const auto& d = value.get<Value::Dict>();
      if (const Value* id = d.find(id_key); id && id->is<int64_t>()) ++count[id->get<int64_t>()];
      for (const auto& [key, e] : d) collect(e);
    }
  }

  bool shared(int64_t id) const {
    const auto found = count.find(id);
    return found != count.end() && found->second > 1;
  }
};

// Takes the numbers off objects that occur once.
Value only_shared_numbers(const Value& value, const Occurrences& occurrences) {
  if (value.is<Value::List>()) {
    Value::List list;
    for (const Value& e : value.get<Value::List>())
      list.push_back(only_shared_numbers(e, occurrences));
    return list;
  }
  if (!value.is<Value::Dict>()) return value;
  Value::Dict result;
  for (const auto& [key, e] : value.get<Value::Dict>()) {
    if (key == id_key && e.is<int64_t>() && !occurrences.shared(e.get<int64_t>())) continue;
    result.emplace_back(key, only_shared_numbers(e, occurrences));
  }
  return result;
}

// A layer that two stacks or graphs list comes back as two where its number cannot be written.
const Layer* listed_twice(const Layer& container, std::map<const Layer*, const Layer*>& owners) {
  if (!dynamic_cast<const Sequential*>(&container) && !dynamic_cast<const Functional*>(&container))
    return nullptr;
  for (const auto& layer : container.sublayers()) {
    if (!owners.emplace(layer.get(), &container).second) return layer.get();
    if (const Layer* inside = listed_twice(*layer, owners)) return inside;
  }
  return nullptr;
}

Value model_value_with_numbers(const Model& model) {
  const SharedObjectsScope scope(SharedObjectsScope::Mode::writing);
  const Value value = model_value(model);
  std::map<const Layer*, const Layer*> owners;
  if (const Layer* layer = listed_twice(model, owners); layer && !scope.active())
    throw UnsupportedError(fmt::format(
        "save: layer '{}' is listed by '{}' and by another model, which this file cannot "
        "keep. Call it in one of them only.",
        layer->name(), owners.at(layer)->name()));
  Occurrences occurrences;
  occurrences.collect(value);
  return only_shared_numbers(value, occurrences);
}

// --- Forms
// ----------------------------------------------------------------------------------------------

std::string metadata() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return to_json(Value::Dict{{"keras_version", keras_version},
                             {"date_saved", fmt::format("{:%Y-%m-%d@%H:%M:%S}", local)}});
}

void write_package(Model& model, PackageWriter& package) {
  const Value described = model_value_with_numbers(model);
  const std::string config = to_json(described);
  warn_of_keras2_activations(described, model.name());
  const auto assets = assets_of(model);
  package.add_text("metadata.json", metadata());
  package.add_text("config.json", config);
  constexpr const char* weights = "model.weights.h5";
  const uint64_t expected = weight_bytes(model);
  const std::optional<fs::path> path = package.file_for(weights, expected);
  io::H5Writer file = path ? io::H5Writer(*path, expected) : io::H5Writer(expected);
  SingleSink sink(file);
  write_weights(sink, model);
  io::Bytes bytes = file.finish([&](io::H5Reader&& written) {
    check_loads(model, [&] {
      const Value value = upgrade_model(parse_config(config, "config.json"));
      const auto copy = make_built_model(value);
      compile_model(*copy, compile_config_in(value));
      read_assets(*copy, [&](const std::string& member) -> std::optional<std::string> {
        const auto found = std::find_if(assets.begin(), assets.end(),
                                        [&](const auto& entry) { return entry.first == member; });
        if (found == assets.end()) return std::nullopt;
        return found->second;
      });
      read_weights(WeightTree(std::move(written)), *copy, {.only_check = true});
    });
  });
  if (!path) package.add_bytes(weights, std::move(bytes));
  for (const auto& [member, content] : assets) package.add_text(member, content);
  package.finish();
}

void write_legacy(Model& model, const std::string& path, const SaveOptions& options) {
  io::H5Writer file(fs::path(path), weight_bytes(model));
  Value::Dict config = downgrade_model(model_value(model)).get<Value::Dict>();
  // A class of the user's does not say its input's shape in its config.
  if (!dynamic_cast<Sequential*>(&model) && !dynamic_cast<Functional*>(&model) &&
      !model.get_build_config().empty())
    config.emplace_back("build_config", model.get_build_config());
  const Value described(std::move(config));
  const std::string text = to_json(described);
  warn_of_keras2_activations(described, model.name());
  file.set_attribute("", "keras_version", keras_version);
  file.set_attribute("", "backend", "tensorflow");
  file.set_attribute("", "model_config", text);
  const bool compiled = model.compiled() && options.include_optimizer;
  Value::Dict training;
  if (compiled) {
    training = training_config_of(model.get_compile_config()).get<Value::Dict>();
    file.set_attribute("", "training_config", to_json(training));
  }
  write_legacy_weights(file, "model_weights", model);
  if (compiled) write_legacy_optimizer(file, model);
  file.finish([&](io::H5Reader&& written) {
    check_loads(model, [&] {
      const Value value = upgrade_model(parse_config(text, "model_config"));
      const auto copy = make_built_model(value);
      if (compiled) compile_model(*copy, compile_config_of(training, output_names_of(value)));
      read_legacy_weights(written, "model_weights", *copy, {.only_check = true});
    });
  });
}

bool is_legacy_name(const std::string& path) {
  return !path.ends_with(".weights.h5") && (path.ends_with(".h5") || path.ends_with(".hdf5"));
}

void require_free(const std::string& path, bool overwrite, const char* what) {
  if (!overwrite && fs::exists(path))
    throw FileError(fmt::format(
        "{}: '{}' is there already. Choose another name, or leave out .overwrite = false.", what,
        path));
}

}  // namespace

void save_model(Model& model, const std::string& path, const SaveOptions& options) {
  require_free(path, options.overwrite, "save");
  const bool archive = path.ends_with(".keras"), legacy = is_legacy_name(path);
  if (options.zipped.value_or(true)) {
    if (path.ends_with(".weights.h5"))
      throw ValueError(fmt::format(
          "save: '{}' is a name for weights alone, which save_weights writes. A whole model is "
          "saved as \".keras\".",
          path));
    if (!archive && !legacy)
      throw ValueError(fmt::format(
          "save: '{}' must end in \".keras\", or in \".h5\" for a legacy file. (A folder is "
          "written with .zipped = false.)",
          path));
  }
  require_built(model, "save");
  require_saved_quantization(model);
  try {
    if (!options.zipped.value_or(true))
      write_package(model, *PackageWriter::folder(path));
    else if (archive)
      write_package(model, *PackageWriter::archive(path));
    else
      write_legacy(model, path, options);
  } catch (const FileError& e) {
    // What failed may have been a file with a name for the time being.
    const std::string text = e.what();
    if (text.find(path) != text.npos) throw;
    throw FileError(fmt::format("Cannot save '{}': {}", path, text));
  } catch (Error& e) {
    // Such as of a layer whose class is not registered, which does not know where it is to go.
    if (!std::string_view(e.what()).starts_with("save: "))
      e.prepend(fmt::format("save: '{}'", path));
    throw;
  }
}

void save_weights(Model& model, const std::string& path, const SaveWeightsOptions& options) {
  require_free(path, options.overwrite, "save_weights");
  if (!options.max_shard_size) {
    if (path.ends_with(".weights.json"))
      throw ValueError(fmt::format(
          "save_weights: '{}' is the map of several files: give max_shard_size, or a name that "
          "ends in \".weights.h5\".",
          path));
    if (!path.ends_with(".weights.h5"))
      throw ValueError(fmt::format("save_weights: '{}' must end in \".weights.h5\".", path));
    require_built(model, "save_weights");
    io::H5Writer file(fs::path(path), weight_bytes(model));
    SingleSink sink(file);
    write_weights(sink, model);
    file.finish();
    return;
  }
  const double limit = std::floor(*options.max_shard_size * 1e9);
  if (!(limit >= 1) || limit > 1e18)
    throw ValueError(fmt::format(
        "save_weights: max_shard_size must be a positive number of gigabytes, found {}.",
        *options.max_shard_size));
  if (!path.ends_with(".weights.json"))
    throw ValueError(fmt::format(
        "save_weights: '{}' must end in \".weights.json\" when max_shard_size is given.", path));
  require_built(model, "save_weights");
  ShardSink sink(fs::path(path), static_cast<uint64_t>(limit));
  write_weights(sink, model);
  sink.finish();
}

}  // namespace saving

void Model::save(const std::string& path, const saving::SaveOptions& options) {
  saving::save_model(*this, path, options);
}
void Model::save_weights(const std::string& path, const saving::SaveWeightsOptions& options) {
  saving::save_weights(*this, path, options);
}
std::string Model::to_json() const { return cornu::to_json(saving::model_value(*this)); }

}  // namespace cornu
