// Opening, reading and compiling what a run of training needs.
#include "training_setup.h"

#include <cornu/callbacks/backup_and_restore.h>
#include <cornu/callbacks/csv_logger.h>
#include <cornu/callbacks/early_stopping.h>
#include <cornu/callbacks/model_checkpoint.h>
#include <cornu/callbacks/tensorboard.h>
#include <cornu/framework/ops/random/seed.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "compiling.h"
#include "models.h"
#include "running.h"

namespace cornu::cli {
namespace {

// Keeps the model of the best epoch. Once the best is NaN nothing improves on it, so that an epoch
// without a figure is passed over.
class BestModel : public callbacks::ModelCheckpointCallback {
 public:
  using ModelCheckpointCallback::ModelCheckpointCallback;
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    const auto figure = logs.find(config.monitor);
    if (figure == logs.end() || !std::isnan(figure->second))
      ModelCheckpointCallback::on_epoch_end(epoch, logs);
  }
};

}  // namespace

TrainingSetup::TrainingSetup(const TrainOptions& given, const RunFolder& run_folder)
    : options(given), folder(run_folder) {
  use_machine(options.run);
  if (options.seed) random::set_seed(*options.seed);
  open();
  read();
}

void TrainingSetup::open() {
  model = open_to_run(options.model_file, options.weights, FreshWeights::drawn, true);
  // Whether other weights are trained than those that the file's optimizer knows.
  bool others = !options.weights.empty();
  if (!options.freeze.empty()) {
    const size_t before = model->trainable_variables().size();
    const int64_t left = freeze(*model, options.freeze);
    others |= model->trainable_variables().size() != before;
    if (!options.run.quiet && left > 0) fmt::print("{} parameters are trained.\n", left);
  }
  compile_with(*model, options.compile, others, options.model_file);
}

void TrainingSetup::read() {
  const bool quiet = options.run.quiet;
  const DataFiles files(options.data.files, options.data, quiet, FileOrder::shuffled);
  train = files.samples(Part::main, *model, true);
  if (!options.validation_files.empty()) {
    const DataFiles others(options.validation_files, options.data, quiet);
    const bool ended = others.has(Part::validation, *model);
    validation = others.samples(ended ? Part::validation : Part::main, *model, true);
  } else if (files.has(Part::validation, *model) && options.validation_split == 0) {
    validation = files.samples(Part::validation, *model, true);
  }
  if (files.has_targets(Part::test, *model))
    test = files.samples(Part::test, *model, true);
  else if (files.has(Part::test, *model) && !quiet)
    fmt::print("{} has no targets for its test part, so the model is not tested on it.\n",
               files.source());
  monitor = !options.monitor.empty() ? options.monitor : validates() ? "val_loss" : "loss";
  checkpoint = !options.checkpoint.empty() ? options.checkpoint : validates() ? "best" : "last";
  check_monitor();
}

void TrainingSetup::check_monitor() const {
  if (monitor.starts_with("val_") && !validates())
    throw UsageError(
        fmt::format("--monitor {}: there is nothing to validate on. Give --validation-split or "
                    "--validation-data.",
                    monitor));
  std::vector<std::string> names = figure_names(*model, train.y);
  if (validates())
    for (size_t i = names.size(); i-- > 0;) names.push_back("val_" + names[i]);
  if (names.empty() || std::find(names.begin(), names.end(), monitor) != names.end()) return;
  std::sort(names.begin(), names.end());
  throw UsageError(fmt::format("--monitor {}: there is no such figure.{} There are {}.", monitor,
                               did_you_mean(monitor, names), fmt::join(names, ", ")));
}

std::string TrainingSetup::history_file() const {
  return options.csv.empty() ? folder.path("history.csv").string() : options.csv;
}

Callbacks TrainingSetup::callbacks() const {
  Callbacks list = {callbacks::CSVLogger({.filename = history_file()})};
  // The best weights are in the best model's file.
  if (options.patience)
    list.push_back(callbacks::EarlyStopping({.monitor = monitor, .patience = *options.patience}));
  if (checkpoint == "all")
    list.push_back(callbacks::ModelCheckpoint(
        {.filepath = folder.checkpoints() + "/epoch_{epoch:04d}.keras"}));
  if (checkpoint != "last")
    list.push_back(std::make_shared<BestModel>(callbacks::ModelCheckpointConfig{
        .filepath = folder.model(), .monitor = monitor, .save_best_only = true}));
  // The backup stays until the model's file is whole.
  if (!options.tensorboard.empty())
    list.push_back(callbacks::TensorBoard({.log_dir = options.tensorboard}));
  callbacks::BackupAndRestoreConfig backup{.backup_dir = folder.backup()};
  if (options.backup_every) backup.save_freq = *options.backup_every;
  backup.delete_checkpoint = false;
  list.push_back(callbacks::BackupAndRestore(backup));
  return list;
}

FitOptions TrainingSetup::fit_options(Callbacks first) const {
  for (const auto& callback : callbacks()) first.push_back(callback);
  FitOptions fit{.batch_size = options.run.batch_size,
                 .epochs = options.epochs,
                 .verbose = options.run.quiet ? Verbose::silent : Verbose::automatic,
                 .callbacks = std::move(first),
                 .validation_split = options.validation_split,
                 .shuffle = options.shuffle,
                 .class_weight = options.class_weight,
                 .sample_weight = train.sample_weight,
                 .steps_per_epoch = options.steps_per_epoch};
  if (validation)
    fit.validation_data = ValidationData(validation->x, validation->y, validation->sample_weight);
  if (options.journal) fit.journal = folder.journal();
  return fit;
}

}  // namespace cornu::cli
