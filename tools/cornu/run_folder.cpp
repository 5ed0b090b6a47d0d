// Making, checking and describing a run's folder.
#include "run_folder.h"

#include <cornu/framework/config/configurable.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/config/option.h>
#include <cornu/framework/io/atomic_file.h>
#include <cornu/framework/tensor/device.h>
#include <cornu/framework/tensor/threads.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <span>

namespace cornu::cli {
namespace {

namespace fs = std::filesystem;

Value::Dict read_run(const fs::path& path) {
  const std::vector<std::byte> bytes = io::read_file(path, 1 << 24);
  const Value value =
      cornu::parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
  if (!value.is<Value::Dict>())
    throw FileError(fmt::format("'{}' is no description of a run.", path.string()));
  return value.get<Value::Dict>();
}

Value::List list_of(const std::vector<std::string>& words) { return {words.begin(), words.end()}; }

// What files are known by when the program is started from another folder.
Value::List paths_of(const std::vector<std::string>& files) {
  Value::List list;
  for (const std::string& file : files) list.emplace_back(fs::absolute(file).string());
  return list;
}

std::string option_name(const std::string& key) {
  std::string name = "--" + key;
  for (char& c : name)
    if (c == '_') c = '-';
  return name;
}

}  // namespace

RunFolder::RunFolder(const std::string& path, bool resume, bool overwrite) : folder_(path) {
  if (fs::exists(folder_) && !fs::is_directory(folder_))
    throw FileError(fmt::format("'{}' is a file; -o names a folder for the run.", path));
  const bool used = fs::is_directory(folder_) && !fs::is_empty(folder_);
  const bool is_run = fs::exists(folder_ / "run.json");
  if (used && !resume && !overwrite)
    throw FileError(fmt::format(
        "'{}' exists already. Give --resume to go on with the run in it, --overwrite to replace "
        "it, or another folder.",
        path));
  if (used && resume && !is_run)
    throw FileError(fmt::format("'{}' holds no run to resume: it has no run.json.", path));
  if (resume && is_run) earlier_ = read_run(folder_ / "run.json");
}

void RunFolder::make() const {
  std::error_code error;
  if (!earlier_)
    for (const char* name :
         {"run.json", "model.keras", "history.csv", "backup", "checkpoints", "journal"})
      fs::remove_all(folder_ / name, error);
  fs::create_directories(folder_, error);
  if (error)
    throw FileError(
        fmt::format("The folder '{}' cannot be made: {}.", folder_.string(), error.message()));
}

void RunFolder::write(const Value::Dict& run) const {
  const std::string text = cornu::to_json(run, 2) + "\n";
  io::write_file(folder_ / "run.json", std::as_bytes(std::span(text.data(), text.size())));
}

Value::Dict options_of(const TrainOptions& o) {
  Value::Dict class_weight;
  for (const auto& [number, weight] : o.class_weight)
    class_weight.emplace_back(std::to_string(number), weight);
  return {{"model", fs::absolute(o.model_file).string()},
          {"weights", o.weights.empty() ? Value() : Value(fs::absolute(o.weights).string())},
          {"data", paths_of(o.data.files)},
          {"x", o.data.x},
          {"y", o.data.y},
          {"target", list_of(o.data.target)},
          {"features", list_of(o.data.features)},
          {"classes", list_of(o.data.classes)},
          {"validation_data", paths_of(o.validation_files)},
          {"validation_split", o.validation_split},
          {"optimizer", o.compile.optimizer},
          {"learning_rate", o.compile.learning_rate},
          {"loss", list_of(o.compile.loss)},
          {"metrics", list_of(o.compile.metrics)},
          {"epochs", o.epochs},
          {"batch_size", o.run.batch_size},
          {"steps_per_epoch", o.steps_per_epoch},
          {"seed", o.seed},
          {"shuffle", o.shuffle},
          {"class_weight", class_weight},
          {"freeze", list_of(o.freeze)},
          {"patience", o.patience},
          {"monitor", o.monitor},
          {"checkpoint", o.checkpoint}};
}

TrainOptions options_from(const Value::Dict& run) {
  const Value* found = detail::find(run, "options");
  const Value::Dict options =
      found && found->is<Value::Dict>() ? found->get<Value::Dict>() : Value::Dict();
  const auto take = [&]<class T>(const char* name, T& to) {
    const Value* value = detail::find(options, name);
    try {
      if (!value) throw ValueError("it is missing");
      to = detail::OptionCodec<T>::decode(*value);
    } catch (const Error& error) {
      throw FileError(
          fmt::format("run.json does not tell the option '{}' of the run: {}", name, error.what()));
    }
  };
  TrainOptions o;
  take("model", o.model_file);
  o.weights = text_in(options, "weights");
  take("data", o.data.files);
  take("x", o.data.x);
  take("y", o.data.y);
  take("target", o.data.target);
  take("features", o.data.features);
  take("classes", o.data.classes);
  take("validation_data", o.validation_files);
  take("validation_split", o.validation_split);
  take("optimizer", o.compile.optimizer);
  take("learning_rate", o.compile.learning_rate);
  take("loss", o.compile.loss);
  take("metrics", o.compile.metrics);
  take("epochs", o.epochs);
  take("batch_size", o.run.batch_size);
  take("steps_per_epoch", o.steps_per_epoch);
  take("seed", o.seed);
  take("shuffle", o.shuffle);
  take("freeze", o.freeze);
  take("patience", o.patience);
  take("monitor", o.monitor);
  take("checkpoint", o.checkpoint);
  if (const Value* weights = detail::find(options, "class_weight");
      weights && weights->is<Value::Dict>())
    for (const auto& [number, weight] : weights->get<Value::Dict>())
      o.class_weight[std::strtoll(number.c_str(), nullptr, 10)] = weight.number();
  return o;
}

void check_same(const Value::Dict& earlier_run, const Value::Dict& options) {
  const Value* before = detail::find(earlier_run, "options");
  if (!before || !before->is<Value::Dict>())
    throw FileError("run.json of the run to resume has no options; start the run anew.");
  for (const auto& [key, value] : options) {
    if (key == "epochs") continue;
    const Value* was = detail::find(before->get<Value::Dict>(), key);
    const std::string then = was ? cornu::to_json(*was) : "null", now = cornu::to_json(value);
    if (then != now)
      throw ValueError(fmt::format(
          "The run to resume was begun with {} {}, not {}. Give the same options, or --overwrite.",
          key == "model" || key == "data" ? key : option_name(key), then, now));
  }
}

int64_t bytes_in(const fs::path& path) {
  if (!fs::is_directory(path)) return static_cast<int64_t>(fs::file_size(path));
  int64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) bytes += static_cast<int64_t>(entry.file_size());
  return bytes;
}

std::string text_in(const Value::Dict& dict, const std::string& name) {
  const Value* value = detail::find(dict, name);
  return value && value->is<std::string>() ? value->get<std::string>() : "";
}

double number_in(const Value::Dict& dict, const std::string& name, double otherwise) {
  const Value* value = detail::find(dict, name);
  return value && value->is_number() ? value->number() : otherwise;
}

Value::Dict machine() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  const Device device = default_device();
  return {{"name", std::string(host)},
          {"device", device.name()},
          {"description", device.description()},
          {"threads", static_cast<int64_t>(threads())}};
}

std::string now() {
  const auto time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

}  // namespace cornu::cli
