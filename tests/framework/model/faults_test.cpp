// What goes wrong during a training run: what is said, and that files and the model stay whole.
#include <catch.h>
#include <cornu/cornu.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <limits>

#include "../../support/temporary.h"

namespace faults_test {

using namespace cornu;
namespace fs = std::filesystem;

namespace {

constexpr auto quiet = Verbose::silent;

std::shared_ptr<Sequential> small() {
  auto model = std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({3}), layers::Dense({.units = 64}), layers::Dense({.units = 1})});
  model->compile({.optimizer = "adam", .loss = "mse"});
  return model;
}

const Tensor x = ops::ones({8, 3}), y = ops::ones({8, 1});

FitOptions options(Callbacks callbacks) {
  return {.batch_size = 2, .epochs = 3, .verbose = quiet, .callbacks = std::move(callbacks)};
}

// The text of what f throws; fails when it throws nothing.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  FAIL("nothing was thrown");
  return "";
}

// That the model trains, predicts and is saved.
void check_usable(Model& model, const test::TemporaryFolder& folder) {
  CHECK(model.fit(x, y, options({})).epoch.size() == 3);
  model.save(folder / "after.keras");
  CHECK(load_model(folder / "after.keras")->predict(x).tensor().to_vector<float>() ==
        model.predict(x, {.verbose = quiet}).tensor().to_vector<float>());
}

// While it lives no file can grow beyond some bytes, as on a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("a disk that is full at a checkpoint") {
  const test::TemporaryFolder folder;
  const auto model = small();
  model->save(folder / "model.keras");
  const std::string old = test::slurp(folder / "model.keras");
  std::string error;
  {
    const FullDisk full(1000);
    error = error_of([&] {
      model->fit(x, y, options({callbacks::ModelCheckpoint({.filepath = folder / "model.keras"})}));
    });
  }
  INFO(error);
  CHECK_THAT(error, Catch::Contains("Callback ModelCheckpoint, on_epoch_end"));
  CHECK_THAT(error, Catch::Contains("model.keras"));
  CHECK_THAT(error, Catch::Contains("File too large") || Catch::Contains("No space left"));
  // The file of before is whole, and nothing lies beside it.
  CHECK(test::slurp(folder / "model.keras") == old);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
  check_usable(*model, folder);
}

TEST_CASE("a disk that is full at a backup") {
  const test::TemporaryFolder folder;
  const auto model = small();
  FitOptions o = options({});
  o.resume = BackupOptions{.folder = folder / "run", .save_freq = 1};
  std::string error;
  {
    const FullDisk full(1000);
    error = error_of([&] { model->fit(x, y, o); });
  }
  INFO(error);
  CHECK_THAT(error, Catch::Contains("The backup of the training run was not written"));
  CHECK_THAT(error, Catch::Contains("run"));
  CHECK(fs::is_empty(folder / "run"));
  check_usable(*model, folder);
}

TEST_CASE("a table that cannot be written") {
  const test::TemporaryFolder folder;
  const auto model = small();
  CHECK_THAT(
      error_of([&] {
        model->fit(x, y, options({callbacks::CSVLogger({.filename = "/proc/none/a.csv"})}));
      }),
      Catch::Contains("Callback CSVLogger, on_train_begin") && Catch::Contains("/proc/none/a.csv"));
  std::string error;
  {
    const FullDisk full(20);
    error = error_of(
        [&] { model->fit(x, y, options({callbacks::CSVLogger({.filename = folder / "a.csv"})})); });
  }
  CHECK_THAT(error, Catch::Contains("a.csv") && Catch::Contains("Is the disk full?"));
  check_usable(*model, folder);
}

TEST_CASE("a folder for backups and one for checkpoints that cannot be made") {
  const test::TemporaryFolder folder;
  const auto model = small();
  FitOptions o = options({});
  o.resume = "/proc/none/run";
  CHECK_THAT(error_of([&] { model->fit(x, y, o); }), Catch::Contains("/proc/none/run"));
  CHECK_THAT(error_of([&] {
               model->fit(
                   x, y, options({callbacks::ModelCheckpoint({.filepath = "/proc/none/m.keras"})}));
             }),
             Catch::Contains("ModelCheckpoint") && Catch::Contains("/proc/none"));
  check_usable(*model, folder);
}

TEST_CASE("a callback that throws, of any type, leaves the model usable") {
  struct Own {};
  class Thrower : public Callback {
   public:
    explicit Thrower(int kind) : kind_(kind) {}
    void on_train_batch_end(int64_t batch, Logs&) override {
      if (batch != 2) return;
      if (kind_ == 0) throw ValueError("mine");
      if (kind_ == 1) throw std::runtime_error("mine");
      throw Own();
    }

   private:
    int kind_;
  };
  const test::TemporaryFolder folder;
  show_warnings(false);
  for (const int kind : {0, 1, 2}) {
    const auto model = small();
    const auto fit = [&] {
      FitOptions o = options({std::make_shared<Thrower>(kind),
                              callbacks::CSVLogger({.filename = folder / "history.csv"})});
      o.resume = folder / "run";
      model->fit(x, y, o);
    };
    if (kind == 0)
      CHECK_THAT(error_of(fit),
                 Catch::Contains("Thrower, on_train_batch_end") && Catch::Contains("mine"));
    else if (kind == 1)
      CHECK_THROWS_AS(fit(), std::runtime_error);
    else
      CHECK_THROWS_AS(fit(), Own);
    check_usable(*model, folder);
  }
  show_warnings(true);
}

TEST_CASE("a loss that becomes NaN") {
  const test::TemporaryFolder folder;
  const auto model = small();
  const Tensor bad = ops::full({8, 1}, std::numeric_limits<float>::quiet_NaN());
  CHECK_THAT(
      error_of(
          [&] { model->fit(x, bad, options({callbacks::TerminateOnNaN({.raise_error = true})})); }),
      Catch::Contains("Callback TerminateOnNaN, on_train_batch_end") && Catch::Contains("nan"));
  // The weights are NaN now, and can be looked at in a file.
  model->save(folder / "bad.keras");
  CHECK(std::isnan(load_model(folder / "bad.keras")->get_weights()[0].to_vector<float>()[0]));
}

}  // namespace faults_test
