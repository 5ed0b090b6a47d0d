// The journal of a run, and its steps taken again.
#include <cornu/cornu.h>
#include <cornu/framework/io/npy.h>
#include <cornu/framework/model/journal.h>
#include <cornu/framework/model/step_replay.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/standard_error.h"
#include "../../support/stop_after.h"
#include "../../support/temporary.h"

namespace journal_test {

using namespace cornu;
using test::contains;
using test::identical;

namespace fs = std::filesystem;

namespace {

const Tensor x = random::normal({40, 6, 3}, 0, 1, 1);
const Tensor y = ops::sum(x, 1) * 0.3;

std::shared_ptr<Model> compiled(std::shared_ptr<Model> model, bool eagerly = false) {
  CompileOptions options;
  options.optimizer = optimizers::SGD({.learning_rate = 0.25});
  options.loss = "mse";
  options.metrics = {"mae"};
  options.run_eagerly = eagerly;
  model->compile(options);
  return model;
}

std::shared_ptr<Model> mlp() {
  return compiled(std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({6, 3}), layers::Flatten(),
                            layers::Dense({.units = 8, .activation = "tanh", .name = "hidden"}),
                            layers::BatchNormalization(), layers::Dropout({.rate = 0.3}),
                            layers::Dense({.units = 3, .name = "out"})}));
}

std::shared_ptr<Model> recurrent() {
  return compiled(std::make_shared<Sequential>(std::vector<AnyLayer>{
      layers::LSTM({.units = 5, .dropout = 0.2}), layers::Dense({.units = 3})}));
}

std::shared_ptr<Model> convolutional() {
  return compiled(std::make_shared<Sequential>(std::vector<AnyLayer>{
      Input({6, 3}), layers::Conv1D({.filters = 4, .kernel_size = 3, .activation = "relu"}),
      layers::GlobalAveragePooling1D(), layers::Dense({.units = 3})}));
}

std::shared_ptr<Model> eager() { return compiled(mlp(), true); }

// Reports figures of its own, and reads none of the compiled ones.
class OwnStep : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override { return out_(flat_(x)); }
  StepLogs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor loss =
        ops::mean(ops::square((*this)(batch.x.tensor(), {.training = true}) - batch.y.tensor()));
    optimizer()->apply(tape.gradient(loss, trainable_variables()), trainable_variables());
    return {{"distance", ops::sqrt(loss)}, {"loss", loss}};
  }

 private:
  layers::Flatten flat_ = track("flat", layers::Flatten());
  layers::Dense out_ = track("out", layers::Dense({.units = 3}));
};

std::shared_ptr<Model> own_step() { return compiled(std::make_shared<OwnStep>()); }

using Make = std::shared_ptr<Model> (*)();

FitOptions options(const std::string& folder) {
  FitOptions o;
  o.batch_size = 7;
  o.epochs = 3;
  o.verbose = Verbose::silent;
  o.journal = JournalOptions{.folder = folder, .keep = 4, .time_fraction = 1};
  return o;
}

// Seeds come from the stream that set_seed begins, as in a program that is run twice.
template <class F>
auto seeded(F&& f) {
  random::set_seed(11);
  return f();
}

// The weights before each step, and behind the last one.
class Weights : public Callback {
 public:
  void on_train_batch_begin(int64_t, Logs&) override { note(); }
  void on_train_end(Logs&) override { note(); }
  bool wants_batch_logs() const override { return false; }

  std::vector<std::vector<Tensor>> seen;

 private:
  void note() {
    std::vector<Tensor> now;
    for (const Variable& v : model()->trainable_variables()) now.push_back(v.value());
    seen.push_back(now);
  }
};

void check_same(const StepReplay::Named& found, const std::vector<Tensor>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO(found[i].first);
    CHECK(identical(found[i].second, expected[i]));
  }
}

// Gives the journal's thread the time to write a state between any two steps.
class Slow : public Callback {
 public:
  void on_train_batch_end(int64_t, Logs&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  bool wants_batch_logs() const override { return false; }
};

size_t count_states(const fs::path& folder) {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    count += entry.path().filename().string().starts_with("state-");
  return count;
}

Tensor named(const StepReplay::Named& list, const std::string& ending) {
  for (const auto& [name, tensor] : list)
    if (name.ends_with(ending)) return tensor;
  FAIL("there is no '" << ending << "'");
  return {};
}

}  // namespace

TEST_CASE("A step of a run is taken again with the same bits") {
  for (const Make make : {mlp, recurrent, convolutional, eager, own_step}) {
    const test::TemporaryFolder folder;
    const auto weights = std::make_shared<Weights>();
    seeded([&] {
      FitOptions o = options(folder.path());
      o.callbacks = {weights};
      return make()->fit(x, y, o);
    });
    const JournalReader journal(folder.path());
    REQUIRE(journal.size() == 18);
    CHECK(count_states(folder.path()) <= 4);
    for (const int64_t step : {0, 1, 5, 6, 11, 17}) {
      INFO("step " << step);
      const auto model = seeded(make);
      const StepReplay replay = model->replay(step, x, y, options(folder.path()));
      CHECK(replay.exact());
      CHECK(replay.same_update);
      CHECK(replay.epoch == step / 6);
      CHECK(replay.step == step % 6);
      CHECK(replay.batch.x.tensor().shape(0) == (step % 6 == 5 ? 5 : 7));
      check_same(replay.weights, weights->seen[static_cast<size_t>(step)]);
      check_same(replay.updated, weights->seen[static_cast<size_t>(step) + 1]);
      // The model stays where the step begins.
      for (size_t i = 0; i < replay.weights.size(); ++i)
        CHECK(identical(model->trainable_variables()[i].value(), replay.weights[i].second));
      // Plain gradient descent by a power of two leaves no rounding but that of the subtraction.
      REQUIRE(replay.gradients.size() == replay.weights.size());
      for (size_t i = 0; i < replay.gradients.size(); ++i) {
        INFO(replay.gradients[i].first);
        CHECK(replay.gradients[i].first == replay.weights[i].first);
        CHECK(identical(replay.weights[i].second - replay.gradients[i].second * 0.25,
                        replay.updated[i].second));
      }
      const Tensor outputs = replay.activations.back().second;
      CHECK(ops::mean(ops::square(outputs - replay.batch.y.tensor())).item() ==
            Approx(replay.loss).epsilon(1e-5));
    }
  }
}

TEST_CASE("A replay names the layers and has what they gave") {
  const test::TemporaryFolder folder;
  seeded(mlp)->fit(x, y, options(folder.path()));
  const auto model = seeded(mlp);
  const StepReplay replay = model->replay(3, x, y, options(folder.path()));
  std::vector<std::string> names;
  for (const auto& [name, tensor] : replay.activations) names.push_back(name);
  REQUIRE(names.size() == 6);
  CHECK(names[1].ends_with("hidden"));
  CHECK(names.back() == model->path());
  const Tensor hidden = named(replay.activations, "hidden");
  const Tensor flat = ops::reshape(replay.batch.x.tensor(), {7, 18});
  const Tensor expected =
      ops::tanh(ops::matmul(flat, named(replay.weights, "sequential/hidden/kernel")) +
                named(replay.weights, "sequential/hidden/bias"));
  CHECK(ops::amax(ops::abs(hidden - expected)).item() < 1e-6);
  // Dropout has dropped, and what it kept it has scaled.
  const Tensor kept = named(replay.activations, "dropout"), before = replay.activations[2].second;
  CHECK(ops::sum(ops::cast(ops::equal(kept, 0.0), DType::float32)).item() > 0);
  CHECK(ops::amax(ops::abs(kept * (kept * 0.7 - before))).item() < 1e-5);

  replay.save(folder / "step.npz");
  const auto arrays = io::read_npz(folder / "step.npz");
  CHECK(arrays.size() == 3 + 6 + 3 * 6);
  CHECK(arrays[0].name == "x");
  CHECK(arrays[2].name == "loss");
}

TEST_CASE("A run that was killed and went on has the journal of one that was not") {
  const test::TemporaryFolder folder;
  seeded(mlp)->fit(x, y, options(folder / "whole"));
  for (const int64_t stop : {0, 4, 6, 9}) {
    INFO("stopped after step " << stop);
    const std::string at = folder / ("run" + std::to_string(stop));
    const auto fit = [&](int64_t steps) {
      FitOptions o = options(at + "/journal");
      o.resume = BackupOptions{.folder = at + "/backup", .save_freq = 2};
      o.callbacks = {std::make_shared<test::StopAfter>(steps)};
      seeded(mlp)->fit(x, y, o);
    };
    CHECK_THROWS_AS(fit(stop), test::Stop);
    // Nothing is lacking, wherever it was stopped.
    CHECK(test::standard_error_of([&] { fit(1000); }) == "");
    CHECK(test::slurp(at + "/journal/steps.bin") == test::slurp(folder / "whole" / "steps.bin"));
    CHECK(seeded(mlp)->replay(10, x, y, options(at + "/journal")).exact());
  }
}

TEST_CASE("A replay leaves the files of the run alone, and follows what changes the training") {
  const test::TemporaryFolder folder;
  const std::string table = folder / "history.csv";
  const auto fit_options = [&] {
    FitOptions o = options(folder / "journal");
    o.class_weight = {{0, 1.0}, {1, 3.0}};
    o.callbacks = {callbacks::CSVLogger({.filename = table}),
                   callbacks::LearningRateScheduler({.schedule = [](int64_t epoch, double rate) {
                     return epoch == 0 ? rate : rate / 2;
                   }})};
    o.validation_split = 0.2;
    return o;
  };
  const Tensor classes = ops::cast(ops::greater(ops::sum(y, 1), 0.0), DType::int32);
  const auto model = [] {
    auto m = std::make_shared<Sequential>(std::vector<AnyLayer>{
        layers::Flatten(), layers::Dense({.units = 2, .activation = "softmax"})});
    m->compile({.optimizer = optimizers::Adam({.learning_rate = 0.1}),
                .loss = "sparse_categorical_crossentropy",
                .steps_per_execution = 3});
    return m;
  };
  seeded(model)->fit(x, classes, fit_options());
  const std::string before = test::slurp(table);
  REQUIRE_FALSE(before.empty());
  for (const int64_t step : {2, 6, 14}) {
    const StepReplay replay = seeded(model)->replay(step, x, classes, fit_options());
    CHECK(replay.exact());
    CHECK(replay.step == step % 5);
    CHECK_FALSE(replay.batch.sample_weight.empty());
  }
  CHECK(test::slurp(table) == before);
}

TEST_CASE("A replay says what it cannot do") {
  const test::TemporaryFolder folder;
  FitOptions slow = options(folder / "journal");
  slow.callbacks = {std::make_shared<Slow>()};
  seeded(mlp)->fit(x, y, slow);
  const auto replay = [&](const Make make, int64_t step, const std::string& name) {
    return make()->replay(step, x, y, options(folder / name));
  };
  CHECK_THROWS_WITH(replay(mlp, 0, "nothing"), contains("has no journal"));
  CHECK_THROWS_WITH(replay(mlp, 18, "journal"), contains("has the steps 0 to 17"));
  CHECK_THROWS_WITH(replay(mlp, -1, "journal"), contains("has the steps 0 to 17"));
  CHECK_THROWS_WITH(replay(recurrent, 3, "journal"), contains("of another model"));
  CHECK_THROWS_WITH(mlp()->replay(0, x, y, {}), contains("name no journal"));
  const auto other = [&] { return mlp()->replay(7, y, x, options(folder / "journal")); };
  CHECK_THROWS_AS(other(), Error);
  const JournalReader journal((folder / "journal").string());
  CHECK(journal.find(1, 2) == 8);
  CHECK_THROWS_WITH(journal.find(1, 6), contains("no step 6 of epoch 2"));

  // Data that differ are noticed by the figure.
  const StepReplay changed = seeded(mlp)->replay(7, x * 1.5, y, options(folder / "journal"));
  CHECK_FALSE(changed.exact());

  // Of damaged states an older one is used, as long as there is one.
  std::vector<fs::path> states;
  for (const auto& entry : fs::directory_iterator(folder / "journal"))
    if (entry.path().filename().string().starts_with("state-")) states.push_back(entry.path());
  std::sort(states.begin(), states.end());
  REQUIRE(states.size() > 1);
  for (size_t i = 1; i < states.size(); ++i) test::spill(states[i], "damaged");
  CHECK(seeded(mlp)->replay(17, x, y, options(folder / "journal")).exact());
  test::spill(states[0], "damaged");
  CHECK_THROWS_WITH(replay(mlp, 17, "journal"), contains("has no state before step 5 of epoch 3"));
  test::spill(folder / "journal" / "steps.bin", "something else");
  CHECK_THROWS_WITH(replay(mlp, 1, "journal"), contains("is not the journal"));
}

TEST_CASE("A journal's options are checked, and a run that cannot keep one does not begin") {
  const test::TemporaryFolder folder;
  const auto fit = [&](JournalOptions journal) {
    FitOptions o = options("");
    o.journal = std::move(journal);
    mlp()->fit(x, y, o);
  };
  CHECK_THROWS_WITH(fit({.folder = folder / "a", .keep = 1}), contains("keep must be at least 2"));
  CHECK_THROWS_WITH(fit({.folder = folder / "a", .time_fraction = 0}),
                    contains("time_fraction must be in (0, 1]"));
  test::spill(folder / "file", "");
  CHECK_THROWS_WITH(fit({.folder = folder / "file"}), contains("cannot be made"));
}

TEST_CASE("A journal's state that cannot be removed is warned of, a folder that is gone is told") {
  const test::TemporaryFolder folder;
  // Has the name of a state of an earlier run, and is no file.
  const fs::path stuck = fs::path(folder / "journal") / "state-0000000000-000000000001.zip";
  fs::create_directories(stuck / "inside");
  Journal journal({.folder = folder / "journal"});
  CHECK(test::has(test::standard_error_of([&] { journal.begin(); }), "cannot be removed"));
  journal.note(0, 0, Tensor(1.0));
  journal.finish();
  const JournalReader reader(folder / "journal");
  fs::remove_all(folder / "journal");
  CHECK_THROWS_AS(reader.state_before(reader[0]), FileError);
}

TEST_CASE("A journal leaves files of other names alone") {
  const test::TemporaryFolder folder;
  FitOptions o = options(folder / "all");
  o.epochs = 50;
  o.callbacks = {};
  const fs::path stray = fs::path(folder / "all") / "state-notes.zip";
  fs::create_directories(stray.parent_path());
  test::spill(stray.string(), "mine");
  seeded(mlp)->fit(x, y, o);
  CHECK(test::slurp(stray.string()) == "mine");
}

TEST_CASE("A journal's states thin out evenly, and their time is bounded") {
  const test::TemporaryFolder folder;
  FitOptions o = options(folder / "all");
  o.epochs = 50;
  o.callbacks = {};
  seeded(mlp)->fit(x, y, o);
  CHECK(count_states(folder / "all") <= 4);
  CHECK(fs::exists(folder / "all" / "state-0000000000-000000000000.zip"));
  // Writing one takes far more than a part in a million of this run.
  o.journal = JournalOptions{.folder = folder / "first", .time_fraction = 1e-6};
  seeded(mlp)->fit(x, y, o);
  CHECK(count_states(folder / "first") == 1);
  // A word for each step, or three where losses are not at hand, and three where an epoch begins.
  const uintmax_t words = default_device().backend().on_host() ? 1 : 3;
  CHECK(fs::file_size(folder / "first" / "steps.bin") == 8 + 4 * (words * 300 + 3 * 50));
}

TEST_CASE("A journal keeps every kind of loss, and whole steps of what was cut off") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "journal";
  const float not_finite[] = {std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN(),
                              // NaNs that mean something else in the file
                              std::bit_cast<float>(0xfffffffdu), std::bit_cast<float>(0xfffffffeu)};
  {
    Journal journal({.folder = path});
    journal.begin();
    journal.note(0, 0, 0.1f);
    journal.note(0, 1, Tensor::from({0.1}, {}));
    for (int i = 0; i < 4; ++i) journal.note(0, 2 + i, not_finite[i]);
    journal.note(3, 7, -2.0f);
    journal.note(3, 8, Tensor());
    journal.finish();
  }
  const auto check = [&](int64_t count) {
    const JournalReader reader(path);
    REQUIRE(reader.size() == count);
    CHECK(reader[0] == JournalStep{0, 0, static_cast<double>(0.1f)});
    CHECK(reader[1] == JournalStep{0, 1, 0.1});
    CHECK(reader[2].loss == HUGE_VAL);
    for (int64_t i = 3; i < 6; ++i) {
      CHECK(std::isnan(reader[i].loss));
      CHECK(reader[i].step == i);
    }
    if (count > 6) CHECK(reader[6] == JournalStep{3, 7, -2});
    if (count > 7) CHECK(std::isnan(reader[7].loss));
    CHECK(reader.find(0, 5) == 5);
  };
  check(8);
  const auto whole = fs::file_size(path + "/steps.bin");
  fs::resize_file(path + "/steps.bin", whole - 1);
  check(7);
  fs::resize_file(path + "/steps.bin", whole - 4 - 2);
  check(6);
  fs::resize_file(path + "/steps.bin", whole - 8 - 3);  // within the number of a step
  check(6);
  // Going on writes what an undisturbed run would have.
  {
    Journal journal({.folder = path});
    journal.resume(3, 7);
    journal.note(3, 7, -2.0f);
    journal.note(3, 8, Tensor());
    journal.finish();
  }
  check(8);
  CHECK(fs::file_size(path + "/steps.bin") == whole);
}

}  // namespace journal_test
