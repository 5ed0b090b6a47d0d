// The command train: a run of fit whose model, figures and circumstances go to a folder.
#include <cornu/backend/devices.h>
#include <cornu/callbacks/backup_and_restore.h>
#include <cornu/callbacks/csv_logger.h>
#include <cornu/callbacks/early_stopping.h>
#include <cornu/callbacks/model_checkpoint.h>
#include <cornu/callbacks/tensorboard.h>
#include <cornu/framework/model/progress_bar.h>
#include <cornu/framework/ops/random/seed.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

#include "commands.h"
#include "compiling.h"
#include "data_files.h"
#include "models.h"
#include "run_folder.h"
#include "running.h"

namespace cornu::cli {
namespace {

namespace fs = std::filesystem;

constexpr int interrupted = 130;  // as shells say for SIGINT

// How long the run has taken, over all of its processes; and whether there is what is watched.
class RunWatch : public Callback {
 public:
  explicit RunWatch(std::string monitor) : monitor_(std::move(monitor)) {}

  void on_epoch_end(int64_t, Logs& logs) override {
    if (!logs.contains(monitor_))
      throw ValueError(fmt::format("--monitor: there is no figure '{}'. There are {}", monitor_,
                                   callbacks::available_names(logs, monitor_)));
  }
  bool wants_batch_logs() const override { return false; }
  Value::Dict get_state() const override { return {{"seconds", seconds()}}; }
  void set_state(const Value::Dict& state) override { earlier_ = number_in(state, "seconds"); }
  std::string name() const override { return "RunWatch"; }

  double seconds() const {
    return earlier_ + std::chrono::duration<double>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string monitor_;
  double earlier_ = 0;
  Clock::time_point begin_ = Clock::now();
};

// The epoch with the best figure, from 0.
struct Best {
  size_t index = 0;
  double value = 0;
};

std::optional<Best> best_of(const History& history, const std::string& monitor,
                            const Model& model) {
  const auto figures = history.history.find(monitor);
  if (figures == history.history.end()) return {};
  callbacks::Monitor watch("train", monitor, "auto");
  std::optional<Best> best;
  for (size_t i = 0; i < figures->second.size(); ++i) {
    const double value = figures->second[i];
    // As ModelCheckpoint compares them, so that it is the epoch of the file.
    if (!best || watch.improves(value, best->value, &model)) best = Best{i, value};
  }
  return best;
}

// JSON has no NaN.
Value figure(double value) { return std::isfinite(value) ? Value(value) : Value(); }

Value::Dict figures_at(const History& history, size_t index) {
  Value::Dict dict;
  for (const auto& [name, values] : history.history)
    if (index < values.size()) dict.emplace_back(name, figure(values[index]));
  return dict;
}

Value::Dict dict_of(const Logs& logs) {
  Value::Dict dict;
  for (const auto& [name, value] : logs) dict.emplace_back(name, figure(value));
  return dict;
}

Value::List sizes_of(const std::vector<std::string>& files) {
  Value::List list;
  for (const std::string& file : files)
    list.push_back(Value::Dict{{"file", fs::absolute(file).string()},
                               {"bytes", static_cast<int64_t>(fs::file_size(file))}});
  return list;
}

// One run, from the command line to the last file.
class Training {
 public:
  explicit Training(TrainOptions options)
      : options_(std::move(options)), folder_(options_.out, options_.resume, options_.overwrite) {}

  int run() {
    settle_seed();
    if (folder_.earlier()) check_same(*folder_.earlier(), options_of(options_));
    if (is_complete()) return say_complete();
    use_machine(options_.run);
    open();
    read();
    folder_.make();
    watch_ = std::make_shared<RunWatch>(monitor_);
    write("running");
    fit();
    return finish();
  }

 private:
  const Value::Dict& earlier() const { return *folder_.earlier(); }

  // A run without a seed gets one, so that run.json says how to repeat it.
  void settle_seed() {
    if (!options_.seed && folder_.earlier())
      if (const Value* before = detail::find(earlier(), "options"); before->is<Value::Dict>())
        options_.seed = static_cast<int64_t>(number_in(before->get<Value::Dict>(), "seed"));
    if (!options_.seed) options_.seed = static_cast<int64_t>(std::random_device{}() >> 1);
    random::set_seed(*options_.seed);
  }

  bool is_complete() const {
    return folder_.earlier() && text_in(earlier(), "state") == "complete";
  }

  int say_complete() const {
    const auto done = static_cast<int64_t>(number_in(earlier(), "epochs"));
    if (options_.epochs > done)
      throw StateError(fmt::format(
          "The run in '{}' has ended after {} epochs, and what it would go on from is gone. Train "
          "its model further in another folder: cornu train {} ... -o OTHER",
          options_.out, done, folder_.model()));
    if (!options_.run.quiet)
      fmt::print("The run in '{}' is complete: {} epochs, {}.\n", options_.out, done,
                 folder_.model());
    return 0;
  }

  void open() {
    model_ = open_model(options_.model_file, "", true);
    if (!options_.freeze.empty()) {
      const size_t before = model_->trainable_variables().size();
      const int64_t left = freeze(*model_, options_.freeze);
      frozen_ = model_->trainable_variables().size() != before;
      if (!options_.run.quiet && left > 0) fmt::print("{} parameters are trained.\n", left);
    }
    compile_with(*model_, options_.compile, frozen_, options_.model_file);
  }

  void read() {
    const bool quiet = options_.run.quiet;
    const DataFiles files(options_.data.files, options_.data, quiet);
    train_ = files.samples(Part::main, *model_, true);
    if (!options_.validation_files.empty()) {
      const DataFiles others(options_.validation_files, options_.data, quiet);
      const bool ended = others.has(Part::validation, *model_);
      validation_ = others.samples(ended ? Part::validation : Part::main, *model_, true);
    } else if (files.has(Part::validation, *model_) && options_.validation_split == 0) {
      validation_ = files.samples(Part::validation, *model_, true);
    }
    if (files.has(Part::test, *model_)) test_ = files.samples(Part::test, *model_, true);
    const bool validates = validation_ || options_.validation_split > 0;
    monitor_ = !options_.monitor.empty() ? options_.monitor : validates ? "val_loss" : "loss";
    checkpoint_ = !options_.checkpoint.empty() ? options_.checkpoint : validates ? "best" : "last";
  }

  Callbacks callbacks() const {
    Callbacks list = {watch_, callbacks::CSVLogger({.filename = history_file()})};
    if (options_.patience)
      list.push_back(callbacks::EarlyStopping({.monitor = monitor_,
                                               .patience = *options_.patience,
                                               .restore_best_weights = checkpoint_ != "last"}));
    if (checkpoint_ == "all")
      list.push_back(callbacks::ModelCheckpoint(
          {.filepath = folder_.checkpoints() + "/epoch_{epoch:04d}.keras"}));
    if (checkpoint_ != "last")
      list.push_back(callbacks::ModelCheckpoint(
          {.filepath = folder_.model(), .monitor = monitor_, .save_best_only = true}));
    // The backup stays until the model's file is whole.
    if (!options_.tensorboard.empty())
      list.push_back(callbacks::TensorBoard({.log_dir = options_.tensorboard}));
    callbacks::BackupAndRestoreConfig backup{.backup_dir = folder_.backup()};
    if (options_.backup_every) backup.save_freq = *options_.backup_every;
    backup.delete_checkpoint = false;
    list.push_back(callbacks::BackupAndRestore(backup));
    return list;
  }

  void fit() {
    FitOptions fit{.batch_size = options_.run.batch_size,
                   .epochs = options_.epochs,
                   .verbose = options_.run.quiet ? Verbose::silent : Verbose::automatic,
                   .callbacks = callbacks(),
                   .validation_split = options_.validation_split,
                   .shuffle = options_.shuffle,
                   .class_weight = options_.class_weight,
                   .sample_weight = train_.sample_weight,
                   .steps_per_epoch = options_.steps_per_epoch};
    if (validation_)
      fit.validation_data =
          ValidationData(validation_->x, validation_->y, validation_->sample_weight);
    history_ = model_->fit(train_.x, train_.y, fit);
  }

  int finish() {
    const std::string path = folder_.model();
    if (checkpoint_ == "last" || !fs::exists(path)) model_->save(path);
    if (!history_.interrupted && test_) {
      const auto model = checkpoint_ == "last" ? model_ : load_model(path);
      tested_ = model->evaluate(test_->x, test_->y,
                                {.batch_size = options_.run.batch_size,
                                 .verbose = Verbose::silent,
                                 .sample_weight = test_->sample_weight});
    }
    best_ = best_of(history_, monitor_, *model_);
    write(history_.interrupted ? "interrupted" : "complete");
    if (!history_.interrupted) fs::remove_all(folder_.backup());
    if (!options_.run.quiet || history_.interrupted) say_end();
    return history_.interrupted ? interrupted : 0;
  }

  std::string history_file() const {
    return options_.csv.empty() ? folder_.path("history.csv").string() : options_.csv;
  }

  int64_t trained_samples() const {
    const double fraction = validation_ ? 1 : 1 - options_.validation_split;
    return static_cast<int64_t>(std::floor(static_cast<double>(train_.count) * fraction));
  }

  void write(const std::string& state) const {
    Value::Dict samples{
        {"train", trained_samples()},
        {"validation", validation_ ? validation_->count : train_.count - trained_samples()},
        {"test", test_ ? test_->count : 0}};
    Value best;
    if (best_)
      best = Value::Dict{{"epoch", history_.epoch[best_->index] + 1},
                         {"monitor", monitor_},
                         {"figures", figures_at(history_, best_->index)}};
    const std::string started = folder_.earlier() ? text_in(earlier(), "started") : started_;
    folder_.write({{"state", state},
                   {"started", started},
                   {"seconds", std::round(watch_->seconds() * 1000) / 1000},
                   {"epochs", static_cast<int64_t>(history_.epoch.size())},
                   {"best", best},
                   {"test", tested_ ? Value(dict_of(*tested_)) : Value()},
                   {"samples", samples},
                   {"files", sizes_of(options_.data.files)},
                   {"checkpoint", checkpoint_},
                   {"options", options_of(options_)},
                   {"cornu", std::string(backend::plugin_version())},
                   {"machine", machine()}});
  }

  void say_end() const {
    const auto epochs = static_cast<int64_t>(history_.epoch.size());
    // fit has said which epoch has the best loss, and how long it took.
    if (best_ && !monitor_.ends_with("loss"))
      fmt::print("best epoch {} of {}: {} {}\n", history_.epoch[best_->index] + 1, epochs, monitor_,
                 format_figure(best_->value));
    if (tested_) {
      std::string text;
      for (const auto& [name, value] : *tested_)
        text += fmt::format(" {} {}", name, format_figure(value));
      fmt::print("test:{}\n", text);
    }
    const bool best_weights = checkpoint_ != "last" && best_;
    fmt::print("wrote {} ({} epoch), {}", folder_.model(), best_weights ? "best" : "last",
               history_file());
    if (checkpoint_ == "all") fmt::print(", {}/", folder_.checkpoints());
    fmt::print(", {}\n", folder_.path("run.json").string());
    if (history_.interrupted)
      fmt::print("Stopped by Ctrl-C. Give the same command with --resume to go on.\n");
    std::fflush(stdout);
  }

  TrainOptions options_;
  RunFolder folder_;
  std::string started_ = now();
  std::shared_ptr<Model> model_;
  bool frozen_ = false;  // other weights are trained than those that the file's optimizer knows
  Samples train_;
  std::optional<Samples> validation_, test_;
  std::string monitor_, checkpoint_;
  std::shared_ptr<RunWatch> watch_;
  History history_;
  std::optional<Best> best_;
  std::optional<Logs> tested_;
};

}  // namespace

int train(TrainOptions options) { return Training(std::move(options)).run(); }

}  // namespace cornu::cli
