// Tests of what objects say themselves that files keep of them, and of optimizers and metrics that
// members hold.
#include <cornu/cornu.h>

#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/saving/file_editor.h>

#include <map>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace own_variables_test {

using namespace cornu;
using test::error_of;
using test::has;
using test::identical;
using test::TemporaryFolder;

namespace {

const FitOptions quiet = {.epochs = 2, .verbose = Verbose::silent, .shuffle = false};

Tensor numbers(const Shape& shape, int64_t seed) { return random::uniform(shape, 0, 1, seed); }

// The datasets of a file of weights, with their shapes.
std::map<std::string, Shape> datasets_in(const std::string& path) {
  std::map<std::string, Shape> result;
  const io::H5Reader file{std::filesystem::path(path)};
  const std::function<void(const std::string&)> visit = [&](const std::string& group) {
    for (const std::string& name : file.children(group)) {
      std::string at = group;
      if (!at.empty()) at += '/';
      at += name;
      if (file.is_group(at))
        visit(at);
      else
        result[at] = file.info(at).shape;
    }
  };
  visit("");
  return result;
}

// --- layers
// --------------------------------------------------------------------------------------

struct TableConfig {
  int64_t units = 2;
  std::string name = "";
};

// Keeps numbers that are no variable, and its kernel the other way round.
class TableLayer : public LayerOf<TableLayer, TableConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input) override {
    kernel = add_weight({.name = "kernel", .shape = {input.back(), config.units}});
  }
  Tensor call(const Tensor& x, const Call&) override { return ops::matmul(x, kernel) + offset; }
  void save_own_variables(VariableStore& store) const override {
    store.set("kernel_t", ops::transpose(kernel));
    store.set("offset", offset);
  }
  void load_own_variables(const VariableStore& store) override {
    kernel.assign(ops::transpose(store["kernel_t"]));
    offset = store["offset"];
  }

  Variable kernel;
  Tensor offset = ops::zeros({2});
};
CORNU_REGISTER("tests>OwnTable", TableLayer);

// What the parent keeps, and a variable more.
class MoreLayer : public layers::DenseLayer {
 public:
  explicit MoreLayer(layers::DenseConfig config) : DenseLayer(std::move(config)) {}
  static std::shared_ptr<MoreLayer> from_config(const Value::Dict& config) {
    return std::make_shared<MoreLayer>(DenseLayer::from_config(config)->config);
  }
  void save_own_variables(VariableStore& store) const override {
    DenseLayer::save_own_variables(store);
    store.set("extra", extra);
  }
  void load_own_variables(const VariableStore& store) override {
    extra.assign(store["extra"]);
    const std::vector<Variable> all = own_weights();
    for (size_t i = 0; i < all.size(); ++i) all[i].assign(store[std::to_string(i)]);
  }
  Variable extra = Variable(ops::zeros({3}), {.name = "extra", .trainable = false});
};
CORNU_REGISTER("tests>OwnMore", MoreLayer);

}  // namespace

TEST_CASE("A layer says what files keep of it") {
  const TemporaryFolder folder;
  auto layer = make<TableLayer>({.units = 2, .name = "table"});
  Sequential model({Input({3}), layer, layers::Dense({.units = 1})});
  layer->kernel.assign(numbers({3, 2}, 1));
  layer->offset = numbers({2}, 2);
  model.save(folder / "model.keras");
  const auto loaded = load_model(folder / "model.keras");
  const Tensor x = numbers({4, 3}, 3);
  CHECK(identical(loaded(x), model(x)));

  model.save_weights(folder / "model.weights.h5");
  const auto found = datasets_in(folder / "model.weights.h5");
  CHECK(found.at("layers/table/vars/kernel_t") == Shape{2, 3});
  CHECK(found.at("layers/table/vars/offset") == Shape{2});
  CHECK(found.count("layers/table/vars/0") == 0);
  const Tensor kept = layer->kernel.value();
  layer->kernel.assign(ops::zeros({3, 2}));
  model.load_weights(folder / "model.weights.h5");
  CHECK(identical(layer->kernel.value(), kept));
}

TEST_CASE("A layer may keep more than the one it derives from") {
  const TemporaryFolder folder;
  auto layer = make<MoreLayer>(layers::DenseConfig{.units = 2});
  Sequential model({Input({3}), layer});
  layer->extra.assign(numbers({3}, 1));
  model.save(folder / "model.keras");
  const auto loaded = load_model(folder / "model.keras");
  const auto again = std::dynamic_pointer_cast<MoreLayer>(loaded->get_layer(0));
  REQUIRE(again);
  CHECK(identical(again->extra.value(), layer->extra.value()));
  CHECK(identical(again->kernel.value(), layer->kernel.value()));
}

TEST_CASE("A file that does not fit changes no variable") {
  const TemporaryFolder folder;
  auto layer = make<TableLayer>({.units = 2, .name = "table"});
  Sequential model({Input({3}), layer, layers::Dense({.units = 1})});
  Sequential other(
      {Input({3}), make<TableLayer>({.units = 2, .name = "table"}), layers::Dense({.units = 5})});
  other.save_weights(folder / "other.weights.h5");
  const Tensor before = layer->kernel.value();
  const std::string text = error_of([&] { model.load_weights(folder / "other.weights.h5"); });
  CHECK(has(text, "layer 'dense'"));
  CHECK(!has(text, "layer 'table'"));
  CHECK(identical(layer->kernel.value(), before));

  // And one without the array says which.
  Sequential plain({Input({3}), layers::Dense({.units = 2}), layers::Dense({.units = 1})});
  plain.save_weights(folder / "plain.weights.h5");
  CHECK(has(error_of([&] { model.load_weights(folder / "plain.weights.h5"); }), "kernel_t"));
  CHECK(identical(layer->kernel.value(), before));
}

TEST_CASE("Stores tell what they have") {
  VariableStore store;
  store.set_all({Variable(ops::ones({2})), Variable(ops::zeros({3}))});
  store.set("name", ops::ones({}));
  store.set("name", ops::zeros({}));
  CHECK(store.keys() == std::vector<std::string>{"0", "1", "name"});
  CHECK(store.size() == 3);
  CHECK(store.contains("1"));
  CHECK(!store.contains("2"));
  CHECK(store["name"].item() == 0);
  CHECK(has(error_of([&] { store.get("nam"); }), "Did you mean 'name'?"));
  CHECK_THROWS_AS(store.set("a/b", ops::ones({})), ValueError);
  CHECK_THROWS_AS(store.set("a", Tensor()), ValueError);
  CHECK_THROWS_AS(store.assign_to({Variable(ops::ones({2}))}), ValueError);
  VariableStore one;
  one.set("0", ops::ones({2}));
  CHECK_THROWS_AS(one.assign_to({Variable(ops::ones({3}))}), ShapeError);
  const Variable v(ops::zeros({2}));
  one.assign_to({v});
  CHECK(identical(v.value(), ops::ones({2})));
}

// --- optimizers
// --------------------------------------------------------------------------------------

namespace {

// Descends, and counts how often.
class CountingOptimizer : public optimizers::SGDOptimizer {
 public:
  explicit CountingOptimizer(optimizers::SGDConfig config) : SGDOptimizer(std::move(config)) {}
  static std::shared_ptr<CountingOptimizer> from_config(const Value::Dict& config) {
    return std::make_shared<CountingOptimizer>(from_dict<optimizers::SGDConfig>(config));
  }
  void save_own_variables(VariableStore& store) const override {
    SGDOptimizer::save_own_variables(store);
    store.set("note", ops::ones({}) * note);
  }
  void load_own_variables(const VariableStore& store) override {
    note = store["note"].item();
    const std::vector<Variable> all = variables();
    for (size_t i = 0; i < all.size(); ++i) all[i].assign(store[std::to_string(i)]);
  }
  double note = 0;
};
CORNU_REGISTER("tests>CountingOptimizer", CountingOptimizer);

// Two networks with an optimizer each, and a metric.
class Pair : public Model {
 public:
  Pair() {
    Input in({3});
    (void)first_(in);
    (void)second_(in);
  }
  Tensor call(const Tensor& x, const Call&) override { return first_(x) + second_(x); }

  void compile(CompileOptions options = {}) override {
    Model::compile(std::move(options));
    other_ = track("other_optimizer", Choice<Optimizer>(optimizers::Adam({.learning_rate = 0.1})));
    if (second_->built()) other_->build(second_->trainable_variables());
  }
  StepLogs train_step(const Batch& batch) override {
    GradientTape tape({.persistent = true});
    const Tensor loss = compute_loss(batch.x, batch.y, (*this)(batch.x, {.training = true}));
    const auto one = first_->trainable_variables(), two = second_->trainable_variables();
    optimizer()->apply(tape.gradient(loss, one), one);
    other_->apply(tape.gradient(loss, two), two);
    seen_->update_state(loss);
    return {{"seen", seen_->result()}};
  }
  Optimizer& other() { return *other_; }

 private:
  layers::Dense first_ = track("first", layers::Dense({.units = 1}));
  layers::Dense second_ = track("second", layers::Dense({.units = 1}));
  Choice<Optimizer> other_;
  metrics::Mean seen_ = track("seen", metrics::Mean({.name = "seen"}));
};
CORNU_REGISTER("tests>Pair", Pair);

}  // namespace

TEST_CASE("compile may be overridden, and a second optimizer is kept with the model") {
  const TemporaryFolder folder;
  const Tensor x = numbers({8, 3}, 1), y = numbers({8, 1}, 2);
  Pair pair;
  Model& base = pair;
  (void)base(x);
  base.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  CHECK(pair.fit(x, y, quiet).history.count("seen") == 1);
  CHECK(pair.other().iterations().item() == 2);
  pair.save(folder / "pair.keras");
  pair.save_weights(folder / "pair.weights.h5");
  const auto found = datasets_in(folder / "pair.weights.h5");
  CHECK(found.at("other_optimizer/vars/2") == Shape{3, 1});
  CHECK(found.count("other_optimizer/vars/5") == 1);
  CHECK(found.count("optimizer/vars/1") == 1);
  const auto comparison = saving::KerasFileEditor(folder / "pair.weights.h5").compare(pair);
  CHECK(comparison.errors.empty());
  CHECK(found.count("seen/vars/0") == 0);  // as in Keras, whose metrics keep nothing

  const auto loaded = load_model<Pair>(folder / "pair.keras");
  CHECK(loaded->other().iterations().item() == 2);
  const auto before = pair.other().variables(), after = loaded->other().variables();
  REQUIRE(before.size() == after.size());
  for (size_t i = 0; i < before.size(); ++i) CHECK(identical(before[i].value(), after[i].value()));
  // Training goes on with the same bits.
  pair.fit(x, y, quiet);
  loaded->fit(x, y, quiet);
  for (size_t i = 0; i < pair.get_weights().size(); ++i)
    CHECK(identical(pair.get_weights()[i], loaded->get_weights()[i]));
  CHECK_THROWS_AS(pair.track("first", optimizers::SGD()), ValueError);
  CHECK_THROWS_AS(pair.track("seen", metrics::Mean()), ValueError);
}

TEST_CASE("An optimizer that compile's is too is in the file once") {
  const TemporaryFolder folder;
  class Own : public Sequential {
   public:
    Own() : Sequential({Input({3}), layers::Dense({.units = 1})}) {}
    void compile(CompileOptions options = {}) override {
      Sequential::compile(options);
      track("mine", optimizer());
    }
  };
  Own model;
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.fit(numbers({8, 3}, 1), numbers({8, 1}, 2), quiet);
  model.save_weights(folder / "model.weights.h5");
  const auto found = datasets_in(folder / "model.weights.h5");
  CHECK(found.count("mine/vars/0") == 1);
  CHECK(found.count("optimizer/vars/0") == 0);
  const double steps = model.optimizer()->iterations().item();
  model.fit(numbers({8, 3}, 1), numbers({8, 1}, 2), quiet);
  model.load_weights(folder / "model.weights.h5");
  CHECK(model.optimizer()->iterations().item() == steps);
}

TEST_CASE("An optimizer says what files keep of it") {
  const TemporaryFolder folder;
  Sequential model({Input({3}), layers::Dense({.units = 1})});
  const auto optimizer =
      std::make_shared<CountingOptimizer>(optimizers::SGDConfig{.learning_rate = 0.1});
  model.compile({.optimizer = std::shared_ptr<Optimizer>(optimizer), .loss = "mse"});
  model.fit(numbers({8, 3}, 1), numbers({8, 1}, 2), quiet);
  optimizer->note = 7;
  model.save(folder / "model.keras");
  const auto loaded = load_model(folder / "model.keras");
  const auto again = std::dynamic_pointer_cast<CountingOptimizer>(loaded->optimizer());
  REQUIRE(again);
  CHECK(again->note == 7);
  CHECK(again->iterations().item() == 2);
}

TEST_CASE("apply_gradients takes pairs") {
  const Variable v(ops::ones({2}));
  optimizers::SGD sgd({.learning_rate = 0.5});
  sgd->apply_gradients({{ops::ones({2}), v}});
  CHECK(v.value().to_vector<double>() == std::vector<double>{0.5, 0.5});
}

// --- metrics
// --------------------------------------------------------------------------------------

namespace {

// A sum that files keep.
class KeptSum : public Metric {
 public:
  KeptSum() : Metric("kept_sum") {
    total = add_variable({.shape = {2}, .initializer = "ones", .name = "total"});
  }
  void update_state(const Tensor& values, const Tensor& = {}, const Tensor& = {}) override {
    total.assign_add(ops::sum(values));
  }
  Tensor result() override { return ops::sum(total); }
  Value::Dict get_config() const override { return {}; }
  void save_own_variables(VariableStore& store) const override { store.set_all(variables()); }
  void load_own_variables(const VariableStore& store) override { store.assign_to(variables()); }
  Variable total;
};

class Summing : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override {
    sum->update_state(x);
    return dense(x);
  }
  std::shared_ptr<KeptSum> sum = std::make_shared<KeptSum>();

 private:
  std::shared_ptr<Metric> kept_ = track("sum", std::shared_ptr<Metric>(sum));
  layers::Dense dense = track("dense", layers::Dense({.units = 1}));
};
CORNU_REGISTER("tests>Summing", Summing);

}  // namespace

TEST_CASE("A metric says what files keep of it") {
  const TemporaryFolder folder;
  Summing model;
  (void)model(ops::ones({4, 3}));
  CHECK(model.sum->result().item() == 2 + 2 * 12);
  CHECK(model.metrics_variables().size() == 1);
  model.save(folder / "model.keras");
  const auto loaded = load_model<Summing>(folder / "model.keras");
  CHECK(loaded->sum->result().item() == 26);
  loaded->sum->reset_state();
  CHECK(loaded->sum->result().item() == 2);
}

// --- assets
// --------------------------------------------------------------------------------------

namespace {

class Noted : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override { return dense(x); }
  void save_assets(AssetStore& store) const override {
    store.write("note.txt", note);
    store.write("more/deep.txt", "deep");
    if (bad) store.write("../out.txt", "out");
  }
  void load_assets(const AssetStore& store) override {
    note = store.read("note.txt").value_or("") + store.read("more/deep.txt").value_or("");
  }
  std::string note;
  bool bad = false;

 private:
  layers::Dense dense = track("dense", layers::Dense({.units = 1}));
};
CORNU_REGISTER("tests>Noted", Noted);

}  // namespace

TEST_CASE("A model keeps files of its own, which lead nowhere else") {
  const TemporaryFolder folder;
  Noted model;
  (void)model(ops::ones({4, 3}));
  model.note = "hello ";
  model.save(folder / "model.keras");
  CHECK(load_model<Noted>(folder / "model.keras")->note == "hello deep");
  saving::save_model(model, folder / "folder", {.zipped = false});
  CHECK(load_model<Noted>(folder / "folder")->note == "hello deep");
  model.bad = true;
  CHECK_THROWS_AS(model.save(folder / "bad.keras"), ValueError);
}

}  // namespace own_variables_test
