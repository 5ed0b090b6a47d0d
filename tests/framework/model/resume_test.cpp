// A run that ends anywhere and is started again gives what one gives that never ended.
#include <cornu/cornu.h>
#include <cornu/framework/config/state_file.h>
#include <cornu/framework/model/backup.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "../../catch.h"
#include "../../support/child.h"
#include "../../support/contract.h"
#include "../../support/standard_error.h"
#include "../../support/stop_after.h"
#include "../../support/temporary.h"

namespace resume_test {

using namespace cornu;
using test::identical;

namespace fs = std::filesystem;

namespace {

Tensor numbers(const Shape& shape, int64_t seed) { return random::normal(shape, 0, 1, seed); }

const Tensor x = numbers({40, 6, 3}, 1);
const Tensor y = ops::sum(x, 1) * 0.3;

// Trains a second network by its own optimizer, which the model does not know of.
class TwoOptimizers : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override { return out_(flat_(x)); }
  StepLogs train_step(const Batch& batch) override {
    const Tensor& x = batch.x.tensor();
    const Tensor& y = batch.y.tensor();
    GradientTape tape;
    const Tensor noisy = x + random::normal(x.shape(), 0, 0.1, noise_);
    const Tensor loss = ops::mean(ops::square((*this)(noisy, {.training = true}) - y));
    const auto gradients = tape.gradient(loss, trainable_variables());
    optimizer()->apply(gradients, trainable_variables());
    GradientTape other;
    const Tensor second = ops::mean(ops::square(scale_.value() * y - (*this)(x)));
    const std::vector<Variable> variables = {scale_};
    own_->apply(other.gradient(second, variables), variables);
    seen_.assign_add(Tensor(1.0f));
    return {{"loss", loss}, {"second", second}, {"seen", seen_.value()}};
  }

 private:
  layers::Flatten flat_ = track("flat", layers::Flatten());
  layers::Dense out_ = track("out", layers::Dense({.units = 3}));
  layers::Dense spare_ = track("spare", layers::Dense({.units = 3}));  // never built
  SeedGenerator noise_{std::optional<int64_t>(7)};
  Variable scale_{ops::ones({3})};
  Variable seen_{Tensor::from({0.0f}, {})};
  std::shared_ptr<Optimizer> own_ =
      Choice<Optimizer>(optimizers::Adam({.learning_rate = 0.01})).shared();
};

std::shared_ptr<Model> mlp() {
  auto model = std::make_shared<Sequential>(std::vector<AnyLayer>{
      Input({6, 3}), layers::Flatten(), layers::Dense({.units = 8}), layers::BatchNormalization(),
      layers::Activation({.activation = "relu"}), layers::Dropout({.rate = 0.3}),
      layers::Dense({.units = 3})});
  model->compile({.optimizer = optimizers::Adam({.learning_rate = 0.01, .use_ema = true}),
                  .loss = "mse",
                  .metrics = {"mae", "cosine_similarity"}});
  return model;
}

std::shared_ptr<Model> unbuilt() {
  auto model = std::make_shared<Sequential>(std::vector<AnyLayer>{
      layers::LSTM({.units = 5, .dropout = 0.2}), layers::Dense({.units = 3})});
  model->compile({.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}),
                  .loss = "huber",
                  .metrics = {"mse"}});
  return model;
}

std::shared_ptr<Model> eager() {
  auto model = mlp();
  CompileOptions options;
  options.optimizer = optimizers::RMSprop({.learning_rate = 0.003, .momentum = 0.5});
  options.loss = "mse";
  options.metrics = {"mae"};
  options.run_eagerly = true;
  model->compile(options);
  return model;
}

std::shared_ptr<Model> two() {
  auto model = std::make_shared<TwoOptimizers>();
  model->compile({.optimizer = "adam", .loss = "mse"});  // which validation uses
  return model;
}

using Make = std::shared_ptr<Model> (*)();

FitOptions options(const Resume& resume) {
  FitOptions o;
  o.batch_size = 7;
  o.epochs = 3;
  o.verbose = Verbose::silent;
  o.validation_data = {numbers({9, 6, 3}, 3), numbers({9, 3}, 4)};
  o.resume = resume;
  return o;
}

void check_same(Model& a, const History& p, Model& b, const History& q) {
  CHECK(p.epoch == q.epoch);
  CHECK(p.history == q.history);
  const auto v = a.get_weights(), w = b.get_weights();
  REQUIRE(v.size() == w.size());
  for (size_t i = 0; i < v.size(); ++i) {
    INFO("weight " << i);
    CHECK(identical(v[i], w[i]));
  }
}

// The seeds of a run come from the stream that set_seed begins, as in a program that is run twice.
template <class F>
auto seeded(F&& f) {
  random::set_seed(11);
  return f();
}

void check_resumes(Make make, std::optional<int64_t> save_freq) {
  const test::TemporaryFolder folder;
  const auto whole = seeded(make);
  const History expected = whole->fit(x, y, options({}));
  for (const int64_t stop : {0, 1, 4, 5, 6, 11, 17}) {
    INFO("stopped after step " << stop);
    const std::string at = folder / ("run" + std::to_string(stop));
    const Resume resume(BackupOptions{.folder = at, .save_freq = save_freq});
    {
      const auto first = seeded(make);
      FitOptions o = options(resume);
      o.callbacks = {std::make_shared<test::StopAfter>(stop)};
      CHECK_THROWS_AS(first->fit(x, y, o), test::Stop);
    }
    // Other weights and seeds, which the backup replaces.
    if (stop >= save_freq.value_or(6))
      random::set_seed(99);
    else
      random::set_seed(11);
    const auto second = make();
    FitOptions o = options(resume);
    o.callbacks = {std::make_shared<test::StopAfter>(1000)};
    const History history = second->fit(x, y, o);
    check_same(*whole, expected, *second, history);
  }
}

}  // namespace

TEST_CASE("a run that crashed goes on from its last backup with the same bits") {
  for (const Make make : {&mlp, &unbuilt, &eager, &two}) {
    INFO("model " << (make == &mlp       ? "mlp"
                      : make == &unbuilt ? "unbuilt"
                      : make == &eager   ? "eager"
                                         : "two"));
    for (const std::optional<int64_t> freq :
         {std::optional<int64_t>(1), std::optional<int64_t>(3), std::optional<int64_t>()})
      check_resumes(make, freq);
  }
}

TEST_CASE("a run that is complete is not run again, and goes on with more epochs") {
  const test::TemporaryFolder folder;
  const auto whole = seeded(&unbuilt);
  FitOptions o = options(folder / "run");
  const History first = whole->fit(x, y, o);
  CHECK(first.epoch.size() == 3);
  random::set_seed(5);
  const auto again = unbuilt();
  const History second = again->fit(x, y, o);
  check_same(*whole, first, *again, second);
  o.epochs = 5;
  const auto longer = unbuilt();
  CHECK(longer->fit(x, y, o).epoch == std::vector<int64_t>{0, 1, 2, 3, 4});
  const auto straight = seeded(&unbuilt);
  FitOptions five = options({});
  five.epochs = 5;
  straight->fit(x, y, five);
  for (size_t i = 0; i < straight->get_weights().size(); ++i)
    CHECK(identical(straight->get_weights()[i], longer->get_weights()[i]));
}

TEST_CASE("callbacks go on from their own states, and a table has each row once") {
  const test::TemporaryFolder folder;
  const auto callbacks = [&](const std::string& name) {
    return Callbacks{
        callbacks::EarlyStopping(
            {.monitor = "loss", .min_delta = 0.05, .patience = 3, .restore_best_weights = true}),
        callbacks::ReduceLROnPlateau(
            {.monitor = "loss", .factor = 0.5, .patience = 1, .min_delta = 10}),
        callbacks::CSVLogger({.filename = folder / (name + ".csv")}),
        callbacks::ModelCheckpoint(
            {.filepath = folder / (name + ".keras"), .save_best_only = true})};
  };
  const auto whole = seeded(&mlp);
  FitOptions o = options({});
  o.epochs = 12;
  o.callbacks = callbacks("whole");
  const History expected = whole->fit(x, y, o);
  CHECK(expected.epoch.size() < 12);
  REQUIRE(expected.epoch.size() >= 4);
  for (const int64_t stop : {3, 8, 13, 19, 23}) {
    INFO("stopped after step " << stop);
    const std::string name = "run" + std::to_string(stop);
    o.resume = BackupOptions{.folder = folder / name, .save_freq = 2};
    o.callbacks = callbacks(name);
    o.callbacks.push_back(std::make_shared<test::StopAfter>(stop));
    CHECK_THROWS_AS(seeded(&mlp)->fit(x, y, o), test::Stop);
    o.callbacks = callbacks(name);
    o.callbacks.push_back(std::make_shared<test::StopAfter>(1000));
    random::set_seed(3);
    const auto resumed = mlp();
    const History history = resumed->fit(x, y, o);
    check_same(*whole, expected, *resumed, history);
    std::ifstream a(folder / "whole.csv"), b(folder / (name + ".csv"));
    CHECK(std::string(std::istreambuf_iterator<char>(a), {}) ==
          std::string(std::istreambuf_iterator<char>(b), {}));
  }
}

TEST_CASE("BackupAndRestore removes its folder at the end unless it is told not to") {
  const test::TemporaryFolder folder;
  FitOptions o = options({});
  o.callbacks = {callbacks::BackupAndRestore({.backup_dir = folder / "gone"})};
  seeded(&mlp)->fit(x, y, o);
  CHECK_FALSE(fs::exists(folder / "gone"));
  o.callbacks = {callbacks::BackupAndRestore(
      {.backup_dir = folder / "kept", .save_freq = 2, .delete_checkpoint = false})};
  seeded(&mlp)->fit(x, y, o);
  CHECK_FALSE(fs::is_empty(folder / "kept"));
  o.resume = folder / "other";
  const auto model = mlp();
  CHECK(test::has(test::error_of([&] { model->fit(x, y, o); }), "backups go to one folder"));
}

TEST_CASE("a backup of another model, of other data or a damaged one is told") {
  const test::TemporaryFolder folder;
  seeded(&mlp)->fit(x, y, options(folder / "run"));
  const auto other = unbuilt();
  CHECK(test::has(test::error_of([&] { other->fit(x, y, options(folder / "run")); }),
                  "is of another model"));
  CHECK_NOTHROW(other->save_weights(folder / "still.weights.h5"));
  FitOptions o = options(folder / "run");
  o.batch_size = 20;
  CHECK(test::has(test::error_of([&] { mlp()->fit(x, y, o); }), "6 steps in an epoch"));
  for (const auto& entry : fs::directory_iterator(folder / "run"))
    fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  CHECK(test::has(test::error_of([&] { mlp()->fit(x, y, options(folder / "run")); }),
                  "No backup in"));
  std::ofstream(folder / "file") << "no folder";
  CHECK(test::has(test::error_of([&] { mlp()->fit(x, y, options(folder / "file")); }),
                  "cannot be made"));
}

TEST_CASE("a backup that cannot be removed is warned of, and a folder that is gone is an error") {
  const test::TemporaryFolder folder;
  // Has the name of a later backup, and is no file.
  const fs::path stuck = fs::path(folder / "run") / "backup-0000000099-000000000000.zip";
  fs::create_directories(stuck / "inside");
  Backup backup({.folder = folder / "run"});
  const std::string text = test::standard_error_of([&] {
    backup.keep({});
    backup.wait();
  });
  CHECK(test::has(text, "cannot be removed"));
  CHECK(fs::exists(stuck));
  CHECK(backup.latest());
  fs::remove_all(folder / "run");
  CHECK_THROWS_AS(backup.latest(), FileError);
  CHECK_THROWS_AS(backup.remove(), FileError);
}

TEST_CASE("the older backup serves when the newest is damaged") {
  const test::TemporaryFolder folder;
  const auto whole = seeded(&mlp);
  const History expected = whole->fit(x, y, options({}));
  FitOptions o = options(BackupOptions{.folder = folder / "run", .save_freq = 2, .keep = 3});
  // States that come faster than they are written are left out, so each run leaves its last one.
  for (const int64_t stop : {4, 9}) {
    o.callbacks = {std::make_shared<test::StopAfter>(stop)};
    CHECK_THROWS_AS(seeded(&mlp)->fit(x, y, o), test::Stop);
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder / "run")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 2);
  fs::resize_file(files.back(), 100);
  show_warnings(false);
  o.callbacks = {std::make_shared<test::StopAfter>(1000)};
  const auto resumed = mlp();
  const History history = resumed->fit(x, y, o);
  show_warnings(true);
  check_same(*whole, expected, *resumed, history);
}

// --- signals: in a child process, since they end it
// -----------------------------------------------------------------------------------------------

namespace {

// Trains from the start or from the folder's backup, and writes what came out.
void child_run(const std::string& folder, bool backups) {
  random::set_seed(11);
  const auto model = mlp();
  FitOptions o = options({});
  o.epochs = 6;
  if (backups) o.resume = BackupOptions{.folder = folder + "/backup", .save_freq = 1};
  o.callbacks = {callbacks::CSVLogger({.filename = folder + "/history.csv"})};
  const History history = model->fit(x, y, o);
  Value::Dict result;
  for (const auto& [name, values] : history.history) result.emplace_back(name, values);
  Value::List weights;
  for (const Tensor& w : model->get_weights()) weights.push_back(w);
  result.emplace_back("weights", weights);
  write_state(folder + "/result.zip", result);
}

std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("SIGKILL at any instant changes nothing of the result") {
  if (!test::children_compute()) return;
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "whole");
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(test::in_child([&] { child_run(folder / "whole", false); }, [](pid_t) {}) == 0);
  const auto once = std::chrono::steady_clock::now() - begin;
  std::mt19937 generator(17);
  int kills = 0;
  const char* const more = std::getenv("CORNU_KILLS");
  const int wanted = more ? std::atoi(more) : 25;
  for (int run = 0; kills < wanted; ++run) {
    const std::string at = folder / ("run" + std::to_string(run));
    fs::create_directory(at);
    bool killed = true;
    while (killed) {
      std::uniform_real_distribution<double> moment(0, 1.2);
      const auto wait = moment(generator) * once;
      const int status = test::in_child([&] { child_run(at, true); },
                                        [&](pid_t child) {
                                          std::this_thread::sleep_for(wait);
                                          kill(child, SIGKILL);
                                        });
      killed = WIFSIGNALED(status);
      if (!killed) REQUIRE(status == 0);
      kills += killed;
    }
    CHECK(bytes_of(at + "/result.zip") == bytes_of(folder / "whole/result.zip"));
    CHECK(bytes_of(at + "/history.csv") == bytes_of(folder / "whole/history.csv"));
  }
}

namespace {

// Ends the process at the end of an epoch, before its state is kept.
class KillAt : public Callback {
 public:
  explicit KillAt(int64_t epoch) : epoch_(epoch) {}
  void on_epoch_end(int64_t epoch, Logs&) override {
    if (epoch == epoch_) std::raise(SIGKILL);
  }

 private:
  int64_t epoch_;
};

// Counts the beginnings of epochs, which a state keeps.
class Beginnings : public Callback {
 public:
  void on_epoch_begin(int64_t, Logs&) override { ++count; }
  Value::Dict get_state() const override { return {{"count", count}}; }
  void set_state(const Value::Dict& state) override { count = state[0].second.get<int64_t>(); }
  int64_t count = 0;
};

}  // namespace

TEST_CASE(
    "a run that is killed before its first epoch ends has each row of an appended table once") {
  if (!test::children_compute()) return;
  const test::TemporaryFolder folder;
  const auto train = [&](const std::string& name, bool backups, int64_t kill_at) {
    FitOptions o = options({});
    const auto beginnings = std::make_shared<Beginnings>();
    o.callbacks = {callbacks::CSVLogger({.filename = folder / (name + ".csv"), .append = true}),
                   beginnings, std::make_shared<KillAt>(kill_at)};
    if (backups)
      o.callbacks.push_back(
          callbacks::BackupAndRestore({.backup_dir = folder / (name + "-backup")}));
    seeded(&mlp)->fit(x, y, o);
    if (beginnings->count != o.epochs) _exit(4);
  };
  // Rows of an earlier run stay.
  std::ofstream(folder / "whole.csv") << "epoch,loss\n0,1\n";
  std::ofstream(folder / "killed.csv") << "epoch,loss\n0,1\n";
  REQUIRE(test::in_child([&] { train("whole", false, -1); }, [](pid_t) {}) == 0);
  for (int i = 0; i < 2; ++i)
    CHECK(WIFSIGNALED(test::in_child([&] { train("killed", true, 0); }, [](pid_t) {})));
  CHECK(WIFSIGNALED(test::in_child([&] { train("killed", true, 1); }, [](pid_t) {})));
  REQUIRE(test::in_child([&] { train("killed", true, -1); }, [](pid_t) {}) == 0);
  CHECK(bytes_of(folder / "killed.csv") == bytes_of(folder / "whole.csv"));
}

namespace {

// Presses Ctrl-C after some steps, and notes what was called.
class PressAfter : public Callback {
 public:
  PressAfter(int64_t steps, int times) : left_(steps), times_(times) {}
  void on_train_batch_end(int64_t, Logs&) override {
    if (left_-- == 0)
      for (int i = 0; i < times_; ++i) std::raise(SIGINT);
  }
  void on_epoch_end(int64_t, Logs&) override { ++epochs; }
  void on_train_end(Logs&) override { ended = true; }

  int epochs = 0;
  bool ended = false;

 private:
  int64_t left_;
  int times_;
};

}  // namespace

TEST_CASE("Ctrl-C ends a run after its step, and the run can be resumed there") {
  if (!test::children_compute()) return;
  const test::TemporaryFolder folder;
  const auto whole = seeded(&mlp);
  const History expected = whole->fit(x, y, options({}));
  const int status = test::in_child(
      [&] {
        FitOptions o = options(folder / "run");
        const auto press = std::make_shared<PressAfter>(8, 1);
        o.callbacks = {press};
        const History history = seeded(&mlp)->fit(x, y, o);
        if (!history.interrupted || !press->ended || press->epochs != 1) _exit(4);
        if (history.epoch != std::vector<int64_t>{0}) _exit(5);
      },
      [](pid_t) {});
  CHECK(status == 0);
  FitOptions o = options(folder / "run");
  o.callbacks = {std::make_shared<PressAfter>(1000, 1)};
  const auto resumed = mlp();
  const History history = resumed->fit(x, y, o);
  CHECK_FALSE(history.interrupted);
  check_same(*whole, expected, *resumed, history);
}

TEST_CASE("a second Ctrl-C ends the process, and a program's own handler stays") {
  if (!test::children_compute()) return;
  const int status = test::in_child(
      [&] {
        FitOptions o = options({});
        o.callbacks = {std::make_shared<PressAfter>(2, 2)};
        mlp()->fit(x, y, o);
      },
      [](pid_t) {});
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  static volatile std::sig_atomic_t caught = 0;
  const int own = test::in_child(
      [&] {
        std::signal(SIGINT, [](int) { caught = 1; });
        FitOptions o = options({});
        o.callbacks = {std::make_shared<PressAfter>(2, 1)};
        const History history = mlp()->fit(x, y, o);
        if (!caught || history.interrupted || history.epoch.size() != 3) _exit(4);
      },
      [](pid_t) {});
  CHECK(own == 0);
  // One that the run itself puts in place stays as well.
  const int late = test::in_child(
      [&] {
        struct Install : Callback {
          void on_train_batch_end(int64_t, Logs&) override {
            std::signal(SIGINT, [](int) { caught = 2; });
          }
        };
        FitOptions o = options({});
        o.callbacks = {std::make_shared<Install>()};
        mlp()->fit(x, y, o);
        std::raise(SIGINT);
        if (caught != 2) _exit(4);
      },
      [](pid_t) {});
  CHECK(late == 0);
}

}  // namespace resume_test
