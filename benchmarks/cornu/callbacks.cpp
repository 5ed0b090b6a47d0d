// What surrounds the steps of fit: callbacks, the progress bar, backups.
#include <cornu/framework/model/progress_bar.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "workloads.h"

namespace cornu::bench {
namespace {

namespace fs = std::filesystem;

// A folder that goes with it.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("cornu-bench-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// One of each kind that can be used together, as a careful user would.
Callbacks everything(const Scratch& folder) {
  return {
      callbacks::TerminateOnNaN(),
      callbacks::EarlyStopping({.monitor = "loss", .patience = 100, .restore_best_weights = true}),
      callbacks::ReduceLROnPlateau({.monitor = "loss"}),
      callbacks::LearningRateScheduler({.schedule = [](int64_t, double rate) { return rate; }}),
      callbacks::ModelCheckpoint({.filepath = folder / "model.keras", .monitor = "loss"}),
      callbacks::CSVLogger({.filename = folder / "history.csv"}),
      callbacks::TensorBoard({.log_dir = folder / "logs"}),
      callbacks::BackupAndRestore({.backup_dir = folder / "backup"}),
      callbacks::LambdaCallback({.on_train_batch_end = [](int64_t, Logs&) {}})};
}

// A step of fit, bare and with options of fit that `add` sets, in turns.
template <class F>
void measure_beside(const std::string& network, int64_t steps, const char* what, const F& add,
                    Report& report, const Effort& effort) {
  const Task task = make_task(network, steps);
  report.set_batch(task.batch);
  task.model->compile({.optimizer = task.optimizer, .loss = task.loss});
  const auto fit = [&](bool bare) {
    FitOptions options{.batch_size = task.batch, .verbose = Verbose::silent};
    if (!bare) add(options);
    const double begin = now_seconds();
    task.model->fit(task.x, task.y, options);
    return (now_seconds() - begin) / static_cast<double>(steps);
  };
  fit(true);
  std::vector<double> bare, full;
  const double begin = now_seconds();
  for (int i = 0; i < 3 || (i < 20 && now_seconds() - begin < effort.seconds); ++i) {
    bare.push_back(fit(true));
    full.push_back(fit(false));
  }
  report.latency("step", bare, "us");
  report.latency(fmt::format("step with {}", what), full, "us");
  const double a = *std::min_element(bare.begin(), bare.end());
  const double b = *std::min_element(full.begin(), full.end());
  report.value(fmt::format("{} of a step", what), (b - a) * 1e6, "us");
  report.value(fmt::format("{} of a step", what), (b / a - 1) * 100, "%");
}

void measure_overhead(const std::string& network, int64_t steps, Report& report,
                      const Effort& effort) {
  const Scratch folder;
  measure_beside(
      network, steps, "all callbacks",
      [&](FitOptions& options) { options.callbacks = everything(folder); }, report, effort);
}

void measure_journal(const std::string& network, int64_t steps, Report& report,
                     const Effort& effort) {
  const Scratch folder;
  measure_beside(
      network, steps, "a journal",
      [&](FitOptions& options) { options.journal = folder / "journal"; }, report, effort);
}

// Looks at a bar that has nothing to draw.
void measure_bar(Report& report, const Effort& effort) {
  std::ostringstream screen;
  ProgressBar::Target target = ProgressBar::standard_output();
  target.stream = &screen;
  target.terminal = true;
  ProgressBar bar(Verbose::bar, 1, target);
  constexpr int64_t steps = 10'000'000;
  const auto epoch = [&] {
    bar.begin(0, steps);
    for (int64_t step = 1; step <= steps; ++step)
      if (bar.due(step)) bar.update(step, {{"loss", 0.5}});
  };
  std::vector<double> times = repeat(epoch, effort);
  for (double& seconds : times) seconds /= steps;
  report.value("bar, of a step", *std::min_element(times.begin(), times.end()) * 1e9, "ns");
}

// How long training waits for the backups of ResNet-50 with Adam's state, 307 MB each.
void measure_backups(Report& report) {
  constexpr int64_t steps = 12, between = 4;
  const Scratch folder;
  const auto model = applications::ResNet50({.weights = {}});
  model->compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  const Tensor x = random::uniform({2 * steps, 224, 224, 3}, 0, 1, 1);
  const Tensor y = random::randint({2 * steps}, 0, 1000, 2);
  const auto fit = [&](const Resume& resume) {
    return model->fit(x, y, {.batch_size = 2, .verbose = Verbose::silent, .resume = resume}).time;
  };
  fit({});
  const RunTime bare = fit({});
  const RunTime kept = fit(BackupOptions{.folder = folder / "backup", .save_freq = between});
  report.value("blocked by a backup", kept.callbacks / (steps / between) * 1e3, "ms");
  report.value("blocked of the run", kept.callbacks / kept.total * 100, "%");
  report.value("step", bare.step / steps * 1e3, "ms");
  report.value("step with backups", kept.step / steps * 1e3, "ms");
}

struct Ended {};

// Ends a run after some steps as a crash does, and tells when the first one of a run is done.
class Watch : public Callback {
 public:
  explicit Watch(int64_t steps) : left_(steps) {}
  void on_train_batch_end(int64_t batch, Logs&) override {
    if (first_ < 0) first_ = now_seconds(), batch_ = batch;
    if (--left_ == 0) throw Ended();
  }
  bool wants_batch_logs() const override { return false; }
  double first() const { return first_; }
  int64_t batch() const { return batch_; }

 private:
  int64_t left_, batch_ = -1;
  double first_ = -1;
};

// From the call of fit to the end of its first step, at sample 10^9 of a shuffled epoch.
void measure_resume(Report& report) {
  constexpr int64_t batch = 1'000'000, before = 1000;
  const Tensor x = ops::zeros({batch * (before + 10), 1}, DType::uint8);
  const Scratch folder;
  const auto fit = [&](int64_t steps) {
    Sequential model({Input({1}), layers::Dense({.units = 1})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    const auto watch = std::make_shared<Watch>(steps);
    const double begin = now_seconds();
    const Resume resume(BackupOptions{.folder = folder / "backup", .save_freq = before});
    try {
      model.fit(x, x,
                {.batch_size = batch,
                 .verbose = Verbose::silent,
                 .callbacks = {watch},
                 .resume = resume});
    } catch (const Ended&) {
    }
    report.value(watch->batch() == 0 ? "first step" : "first step of the resumed run",
                 watch->first() - begin, "s");
    report.value("sample", static_cast<double>(watch->batch() * batch), "");
  };
  fit(before + 1);
  fit(1);
}

}  // namespace

void measure_callbacks(const Workload& workload, const std::string& mode,
                       const Settings& settings) {
  Report report(workload.name, mode, 1);
  if (mode == "gaussians") measure_overhead("seed_b1", 100000, report, settings.effort);
  if (mode == "mnist_cnn") measure_overhead("mnist_cnn", 200, report, settings.effort);
  if (mode == "journal_gaussians") measure_journal("seed_b1", 1000000, report, settings.effort);
  if (mode == "journal_mnist_cnn") measure_journal("mnist_cnn", 400, report, settings.effort);
  if (mode == "bar") measure_bar(report, settings.effort);
  if (mode == "backups") measure_backups(report);
  if (mode == "resume") measure_resume(report);
  report.finish();
}

}  // namespace cornu::bench
