// When and where ModelCheckpoint saves.
#include "model_checkpoint.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "../backend/log.h"
#include "../framework/io/atomic_file.h"
#include "../framework/model/model.h"
#include "../framework/tensor/plain_nan.h"
#include "callback_state.h"

namespace cornu::callbacks {

ModelCheckpointCallback::ModelCheckpointCallback(Config c)
    : config(std::move(c)),
      monitor_("ModelCheckpoint", config.monitor, config.mode),
      best_(config.initial_value_threshold) {
  const std::string& path = config.filepath;
  const bool of_weights = path.ends_with(".weights.h5");
  const bool of_model = !of_weights && (path.ends_with(".keras") || path.ends_with(".h5"));
  if (config.save_weights_only ? !of_weights : !of_model)
    throw ValueError(fmt::format(
        "ModelCheckpoint: filepath '{}' must end in {}.", path,
        config.save_weights_only ? "'.weights.h5' with save_weights_only" : "'.keras' or '.h5'"));
}

std::string checkpoint_path(const std::string& pattern, int64_t epoch, std::optional<int64_t> batch,
                            const Logs& logs) {
  fmt::dynamic_format_arg_store<fmt::format_context> fields;
  Logs known = logs;
  fields.push_back(fmt::arg("epoch", epoch + 1));
  known["epoch"] = 0;
  if (batch && !logs.contains("batch")) {
    fields.push_back(fmt::arg("batch", *batch + 1));
    known["batch"] = 0;
  }
  for (const auto& [name, value] : logs)
    if (name != "epoch") fields.push_back(fmt::arg(name.c_str(), detail::plain_nan(value)));
  try {
    return fmt::vformat(pattern, fields);
  } catch (const fmt::format_error& e) {
    // The first field that is not there, if that is the reason.
    for (size_t open = pattern.find('{'); open != std::string::npos;
         open = pattern.find('{', open + 1)) {
      const std::string name =
          pattern.substr(open + 1, pattern.find_first_of(":}", open) - open - 1);
      if (!known.contains(name))
        throw ValueError(
            fmt::format("ModelCheckpoint: there is no figure '{}' for filepath '{}'. Available: {}",
                        name, pattern, available_names(known, name)));
    }
    throw ValueError(
        fmt::format("ModelCheckpoint: filepath '{}' cannot be formatted: {}.", pattern, e.what()));
  }
}

bool ModelCheckpointCallback::due(int64_t batch) {
  // With steps_per_execution the hook is called once for several batches.
  const bool new_epoch = !last_batch_ || batch <= *last_batch_;
  batches_since_save_ += new_epoch ? batch + 1 : batch - *last_batch_;
  last_batch_ = batch;
  if (batches_since_save_ < *config.save_freq.batches()) return false;
  batches_since_save_ = 0;
  return true;
}

Value::Dict ModelCheckpointCallback::get_state() const {
  return {{"best", best_},
          {"epoch", epoch_},
          {"batches_since_save", batches_since_save_},
          {"last_batch", last_batch_}};
}

void ModelCheckpointCallback::set_state(const Value::Dict& state) {
  best_ = state_entry<std::optional<double>>(state, "best");
  epoch_ = state_entry<int64_t>(state, "epoch");
  batches_since_save_ = state_entry<int64_t>(state, "batches_since_save");
  last_batch_ = state_entry<std::optional<int64_t>>(state, "last_batch");
}

void ModelCheckpointCallback::on_train_batch_end(int64_t batch, Logs& logs) {
  if (config.save_freq.batches() && due(batch)) save(epoch_, batch, logs);
}

void ModelCheckpointCallback::on_epoch_end(int64_t epoch, Logs& logs) {
  if (!config.save_freq.batches()) save(epoch, {}, logs);
}

bool ModelCheckpointCallback::wanted(int64_t epoch, const Logs& logs, const std::string& path) {
  auto say = [&](const std::string& text) {
    if (config.verbose > 0)
      std::cout << fmt::format("\nEpoch {}: {}", epoch + 1, text) << std::endl;
  };
  if (!config.save_best_only) {
    say("saving model to " + path);
    return true;
  }
  if (logs.is_array(monitor_.name())) {
    warn_once(
        fmt::format("ModelCheckpoint: '{}' is not a number but {}, so the model is saved although "
                    "save_best_only is set.",
                    monitor_.name(), logs.text(monitor_.name())));
    return true;
  }
  const std::optional<double> current = monitor_.find(logs);
  if (!current) return true;
  const std::string best = best_ ? fmt::format("{:.5f}", detail::plain_nan(*best_)) : "None";
  if (!monitor_.improves(*current, best_, model())) {
    say(fmt::format("{} did not improve from {}", monitor_.name(), best));
    return false;
  }
  say(fmt::format("{} improved from {} to {:.5f}, saving model to {}", monitor_.name(), best,
                  detail::plain_nan(*current), path));
  best_ = current;
  return true;
}

void ModelCheckpointCallback::save(int64_t epoch, std::optional<int64_t> batch, const Logs& logs) {
  const std::string path = checkpoint_path(config.filepath, epoch, batch, logs);
  if (!wanted(epoch, logs, path)) return;
  io::make_folder(std::filesystem::path(path).parent_path(), "ModelCheckpoint");
  if (config.save_weights_only)
    model()->save_weights(path);
  else
    model()->save(path);
  if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
  if (config.verbose > 0)
    std::cout << fmt::format("\nEpoch {}: finished saving model to {}", epoch + 1, path)
              << std::endl;
}

}  // namespace cornu::callbacks
