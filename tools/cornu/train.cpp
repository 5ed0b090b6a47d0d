// The command train: a run of fit whose model, figures and circumstances go to a folder.
#include <cornu/backend/devices.h>
#include <cornu/callbacks/monitor.h>
#include <cornu/framework/model/progress_bar.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

#include "commands.h"
#include "run_folder.h"
#include "training_setup.h"

namespace cornu::cli {
namespace {

namespace fs = std::filesystem;

constexpr int interrupted = 130;  // as shells say for SIGINT

// How long the run has taken, over all of its processes; and whether there is what is watched,
// which the first batch tells of a model that it builds.
class RunWatch : public Callback {
 public:
  RunWatch(std::string monitor, bool validates)
      : monitor_(std::move(monitor)), validates_(validates) {}

  void on_train_batch_end(int64_t, Logs& logs) override {
    if (std::exchange(checked_, true)) return;
    Logs figures = logs;
    if (validates_)
      for (const auto& [name, value] : logs) figures.set("val_" + name, value);
    if (!figures.contains(monitor_))
      throw ValueError(fmt::format("there is no figure '{}'. There are {}", monitor_,
                                   callbacks::available_names(figures, monitor_)));
  }
  bool wants_batch_logs() const override { return !checked_; }
  Value::Dict get_state() const override { return {{"seconds", seconds()}}; }
  void set_state(const Value::Dict& state) override { earlier_ = number_in(state, "seconds"); }
  std::string name() const override { return "--monitor"; }

  double seconds() const {
    return earlier_ + std::chrono::duration<double>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string monitor_;
  bool validates_, checked_ = false;
  double earlier_ = 0;
  Clock::time_point begin_ = Clock::now();
};

// The epoch with the best figure, from 0. NaN is never the best.
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
    if (std::isnan(value)) continue;
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
    list.push_back(Value::Dict{{"file", fs::absolute(file).string()}, {"bytes", bytes_in(file)}});
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
    setup_.emplace(options_, folder_);
    folder_.make();
    watch_ = std::make_shared<RunWatch>(setup_->monitor, setup_->validates());
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

  void fit() {
    history_ = setup_->model->fit(setup_->train.x, setup_->train.y, setup_->fit_options({watch_}));
  }

  int finish() {
    const TrainingSetup& run = *setup_;
    const std::string path = folder_.model();
    if (run.checkpoint == "last" || !fs::exists(path)) run.model->save(path);
    if (!history_.interrupted && run.test) {
      const auto model = run.checkpoint == "last" ? run.model : load_model(path);
      tested_ = model->evaluate(run.test->x, run.test->y,
                                {.batch_size = options_.run.batch_size,
                                 .verbose = Verbose::silent,
                                 .sample_weight = run.test->sample_weight});
    }
    best_ = best_of(history_, run.monitor, *run.model);
    if (!best_ && run.checkpoint != "last" && !history_.epoch.empty())
      std::fprintf(stderr,
                   "cornu: warning: %s is NaN in all epochs, so that none is the best: the last "
                   "epoch's model is kept.\n",
                   run.monitor.c_str());
    write(history_.interrupted ? "interrupted" : "complete");
    if (!history_.interrupted) fs::remove_all(folder_.backup());
    if (!options_.run.quiet || history_.interrupted) say_end();
    return history_.interrupted ? interrupted : 0;
  }

  int64_t trained_samples() const {
    const double fraction = setup_->validation ? 1 : 1 - options_.validation_split;
    return static_cast<int64_t>(std::floor(static_cast<double>(setup_->train.count) * fraction));
  }

  void write(const std::string& state) const {
    Value::Dict samples{
        {"train", trained_samples()},
        {"validation",
         setup_->validation ? setup_->validation->count : setup_->train.count - trained_samples()},
        {"test", setup_->test ? setup_->test->count : 0}};
    Value best;
    if (best_)
      best = Value::Dict{{"epoch", history_.epoch[best_->index] + 1},
                         {"monitor", setup_->monitor},
                         {"figures", figures_at(history_, best_->index)}};
    const std::string started = folder_.earlier() ? text_in(earlier(), "started") : started_;
    folder_.write({{"state", state},
                   {"started", started},
                   {"seconds", std::round(watch_->seconds() * 1000) / 1000},
                   {"epochs", static_cast<int64_t>(history_.epoch.size())},
                   {"best", best},
                   {"test", tested_ ? Value(dict_of(*tested_)) : Value()},
                   {"samples", samples},
                   {"advice", history_.advice},
                   {"files", sizes_of(options_.data.files)},
                   {"checkpoint", setup_->checkpoint},
                   {"options", options_of(options_)},
                   {"cornu", std::string(backend::plugin_version())},
                   {"machine", machine()}});
  }

  void say_end() const {
    const auto epochs = static_cast<int64_t>(history_.epoch.size());
    // fit has said which epoch has the best loss, and how long it took.
    if (best_ && !setup_->monitor.ends_with("loss"))
      fmt::print("best epoch {} of {}: {} {}\n", history_.epoch[best_->index] + 1, epochs,
                 setup_->monitor, format_figure(best_->value));
    if (tested_) {
      std::string text;
      for (const auto& [name, value] : *tested_)
        text += fmt::format(" {} {}", name, format_figure(value));
      fmt::print("test:{}\n", text);
    }
    const bool best_weights = setup_->checkpoint != "last" && best_;
    fmt::print("wrote {} ({} epoch), {}", folder_.model(), best_weights ? "best" : "last",
               setup_->history_file());
    if (setup_->checkpoint == "all") fmt::print(", {}/", folder_.checkpoints());
    fmt::print(", {}\n", folder_.path("run.json").string());
    if (history_.interrupted)
      fmt::print("Stopped by Ctrl-C. Give the same command with --resume to go on.\n");
    std::fflush(stdout);
  }

  TrainOptions options_;
  RunFolder folder_;
  std::string started_ = now();
  std::optional<TrainingSetup> setup_;
  std::shared_ptr<RunWatch> watch_;
  History history_;
  std::optional<Best> best_;
  std::optional<Logs> tested_;
};

}  // namespace

int train(TrainOptions options) { return Training(std::move(options)).run(); }

}  // namespace cornu::cli
