// What fit promises: ways to say one thing agree bit for bit, in compiled and eager steps.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace training_contract_test {

using namespace cornu;
using test::identical;

namespace {

const FitOptions quiet{.verbose = Verbose::silent};
const PredictOptions silent{.verbose = Verbose::silent};

Tensor waves(const Shape& shape, int seed) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

const Tensor x = waves({24, 3}, 1);
const Tensor y = ops::sum(x, -1, true) * 0.5;

layers::Dense dense(int64_t units, int64_t seed, const char* activation = "linear") {
  return layers::Dense({.units = units,
                        .activation = activation,
                        .kernel_initializer = initializers::GlorotUniform({.seed = seed})});
}

std::shared_ptr<Sequential> small_model(CompileOptions options = {.optimizer = "adam",
                                                                  .loss = "mse"}) {
  auto model = std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({3}), dense(5, 1, "tanh"), dense(1, 2)});
  model->compile(std::move(options));
  return model;
}

void check_same_weights(Model& a, Model& b, double tolerance = 0) {
  const auto p = a.get_weights(), q = b.get_weights();
  REQUIRE(p.size() == q.size());
  for (size_t i = 0; i < p.size(); ++i) {
    INFO("weight " << i);
    CHECK(test::difference(p[i], q[i]) <= tolerance);
  }
}

// Batches of x and y, as a user's dataset would give them.
class Rows : public Dataset {
 public:
  explicit Rows(int64_t rows) : rows_(rows) {}
  int64_t size() const override { return 24 / rows_; }
  Batch batch(int64_t index) override {
    const Tensor at = ops::arange(index * rows_, (index + 1) * rows_, 1, DType::int32);
    return {ops::take(x, at, 0), ops::take(y, at, 0)};
  }

 private:
  int64_t rows_;
};

}  // namespace

TEST_CASE("fit, train_on_batch and a loop of one's own take the same steps") {
  const auto fitted = small_model(), stepped = small_model(), own = small_model();
  FitOptions options = quiet;
  options.batch_size = 8;
  options.epochs = 2;
  options.shuffle = false;
  fitted->fit(x, y, options);
  optimizers::Adam adam;
  Rows rows(8);
  for (int epoch = 0; epoch < 2; ++epoch)
    for (int64_t i = 0; i < rows.size(); ++i) {
      const Batch b = rows.batch(i);
      stepped->train_on_batch(b.x, b.y);
      GradientTape tape;
      const Tensor loss =
          ops::mean(ops::square((*own)(b.x.tensor(), {.training = true}) - b.y.tensor()));
      adam->apply(tape.gradient(loss, own->trainable_variables()), own->trainable_variables());
    }
  check_same_weights(*fitted, *stepped, 1e-6);
  check_same_weights(*fitted, *own, 1e-5);
}

TEST_CASE("a dataset of one's own is as the tensors") {
  const auto by_tensors = small_model(), by_dataset = small_model();
  FitOptions options = quiet;
  options.epochs = 3;
  options.shuffle = false;
  const History b = by_dataset->fit(std::make_shared<Rows>(6), options);
  options.batch_size = 6;
  const History a = by_tensors->fit(x, y, options);
  check_same_weights(*by_tensors, *by_dataset);
  CHECK(a["loss"] == b["loss"]);
  CHECK(by_tensors->evaluate(x, y, {.batch_size = 6, .verbose = Verbose::silent})["loss"] ==
        by_dataset->evaluate(std::make_shared<Rows>(6), {.verbose = Verbose::silent})["loss"]);
  CHECK(identical(by_tensors->predict(x, {.batch_size = 6, .verbose = Verbose::silent}).tensor(),
                  by_dataset->predict(std::make_shared<Rows>(6), silent).tensor()));
}

TEST_CASE("compiled and eager steps train alike, whatever the options") {
  const std::vector<std::function<CompileOptions()>> all = {
      [] { return CompileOptions{.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}}; },
      [] {
        return CompileOptions{.optimizer = "rmsprop", .loss = "mae", .steps_per_execution = 2};
      },
      [] {
        return CompileOptions{.optimizer = optimizers::Adam({.clipnorm = 0.1}), .loss = "huber"};
      }};
  for (const auto& options : all) {
    const auto compiled = small_model(options());
    CompileOptions eagerly = options();
    eagerly.run_eagerly = true;
    const auto eager = small_model(std::move(eagerly));
    FitOptions fit = quiet;
    fit.batch_size = 5;  // the last batch is smaller
    fit.epochs = 3;
    fit.shuffle = false;
    const History a = compiled->fit(x, y, fit), b = eager->fit(x, y, fit);
    check_same_weights(*compiled, *eager, 2e-5);
    for (const auto& [name, values] : a.history)
      for (size_t i = 0; i < values.size(); ++i)
        CHECK(values[i] == Approx(b[name][i]).epsilon(1e-4));
  }
}

TEST_CASE("class weights are sample weights by class") {
  const auto by_class = small_model({.optimizer = "sgd", .loss = "binary_crossentropy"});
  const auto by_sample = small_model({.optimizer = "sgd", .loss = "binary_crossentropy"});
  const Tensor labels = ops::cast(ops::greater(y, 0.0), DType::float32);
  FitOptions a = quiet, b = quiet;
  a.shuffle = b.shuffle = false;
  a.class_weight = {{0, 0.25}, {1, 2}};
  b.sample_weight = ops::reshape(labels, {24}) * 1.75 + 0.25;
  by_class->fit(x, labels, a);
  by_sample->fit(x, labels, b);
  check_same_weights(*by_class, *by_sample, 1e-6);
}

TEST_CASE("samples of weight zero teach nothing") {
  const auto weighted =
      small_model({.optimizer = "sgd", .loss = losses::MeanSquaredError({.reduction = "sum"})});
  const auto without =
      small_model({.optimizer = "sgd", .loss = losses::MeanSquaredError({.reduction = "sum"})});
  std::vector<float> weights(24, 0);
  for (size_t i = 0; i < 12; ++i) weights[i] = 1;
  FitOptions options = quiet;
  options.batch_size = 24;
  options.shuffle = false;
  const Tensor half = ops::arange(0, 12, 1, DType::int32);
  without->fit(ops::take(x, half, 0), ops::take(y, half, 0), options);
  options.sample_weight = Tensor(weights);
  weighted->fit(x, y, options);
  check_same_weights(*weighted, *without, 1e-6);
}

TEST_CASE("validation_split is validation_data from the end, and does not train") {
  const auto split = small_model(), given = small_model(), alone = small_model();
  const Tensor head = ops::arange(0, 18, 1, DType::int32),
               tail = ops::arange(18, 24, 1, DType::int32);
  FitOptions a = quiet;
  a.epochs = 2;
  a.shuffle = false;
  FitOptions b = a, c = a;
  a.validation_split = 0.25;
  b.validation_data = {ops::take(x, tail, 0), ops::take(y, tail, 0)};
  const History p = split->fit(x, y, a),
                q = given->fit(ops::take(x, head, 0), ops::take(y, head, 0), b);
  alone->fit(ops::take(x, head, 0), ops::take(y, head, 0), c);
  CHECK(p["val_loss"] == q["val_loss"]);
  CHECK(p["loss"] == q["loss"]);
  check_same_weights(*split, *alone);
  const double after = split->evaluate(ops::take(x, tail, 0), ops::take(y, tail, 0),
                                       {.verbose = Verbose::silent})["loss"];
  CHECK(after == Approx(p["val_loss"].back()));
}

TEST_CASE("the loss of several outputs is their weighted sum, and all of them train") {
  Input in({3});
  const Tensor trunk = dense(4, 1, "tanh")(in);
  const auto glorot = [](int64_t seed) { return initializers::GlorotUniform({.seed = seed}); };
  const Tensor first =
      layers::Dense({.units = 1, .kernel_initializer = glorot(2), .name = "a"})(trunk);
  const Tensor second =
      layers::Dense({.units = 2, .kernel_initializer = glorot(3), .name = "b"})(trunk);
  Functional model(in, Nest::dict({{"a", first}, {"b", second}}));
  model.compile(
      {.optimizer = "sgd",
       .loss = LossOption(LossOption::Dict{{"a", "mse"}, {"b", "mae"}}),
       .loss_weights = std::vector<std::pair<std::string, double>>{{"a", 0.5}, {"b", 3}}});
  const Nest targets = Nest::dict({{"a", y}, {"b", ops::concatenate({y, y}, -1)}});
  Logs logs = model.evaluate(x, targets, {.verbose = Verbose::silent});
  CHECK(logs["loss"] == Approx(0.5 * logs["a_loss"] + 3 * logs["b_loss"]).epsilon(1e-5));
  const auto before = model.get_weights();
  // In one order of the samples: the signs that are mae's gradient may sum to 0 in another.
  model.fit(x, targets, {.verbose = Verbose::silent, .shuffle = false});
  for (size_t i = 0; i < before.size(); ++i) CHECK(!identical(model.get_weights()[i], before[i]));
  const Nest predicted = model.predict(x, silent);
  CHECK(predicted["a"].tensor().shape() == Shape{24, 1});
  CHECK(predicted["b"].tensor().shape() == Shape{24, 2});
}

TEST_CASE("inputs by name may come in any order, and predict takes dictionaries") {
  random::set_seed(1);
  Input left({.shape = {3}, .name = "left"}), right({.shape = {1}, .name = "right"});
  const Tensor out = layers::Dense({.units = 1})(layers::Concatenate()(Nest{left, right}).tensor());
  Functional model(Nest::dict({{"left", left}, {"right", right}}), out);
  const Nest one = Nest::dict({{"left", x}, {"right", y}}),
             other = Nest::dict({{"right", y}, {"left", x}});
  CHECK(identical(model.predict(one, silent).tensor(), model.predict(other, silent).tensor()));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const double first = model.evaluate(one, y, {.verbose = Verbose::silent})["loss"];
  FitOptions options = quiet;
  options.epochs = 20;
  model.fit(other, y, options);
  CHECK(model.evaluate(one, y, {.verbose = Verbose::silent})["loss"] < first);
}

TEST_CASE("a layer that is shared gets the sum of its gradients") {
  layers::Dense shared = dense(2, 3);
  Input a({3}), b({3});
  Functional twins(Nest{a, b}, layers::Subtract()(Nest{shared(a), shared(b)}));
  CHECK(twins.weights().size() == 2);
  const Tensor p = waves({4, 3}, 5), q = waves({4, 3}, 6);
  GradientTape tape;
  const Tensor z = ops::sum(twins(Nest{p, q}).tensor());
  const auto gradients = tape.gradient(z, twins.trainable_variables());
  // d/dK sum((p - q) K) is the sum of p - q in each column; the bias cancels.
  const Tensor column = ops::reshape(ops::sum(p - q, 0), {3, 1});
  CHECK(test::difference(gradients[0], ops::broadcast_to(column, {3, 2})) < 1e-5);
  CHECK(test::equals(gradients[1], {0, 0}));
}

TEST_CASE("layers that are frozen stay, and thaw when compiled again") {
  const auto model = small_model();
  model->layers()[0]->set_trainable(false);
  model->compile({.optimizer = "adam", .loss = "mse"});
  const auto before = model->get_weights();
  model->fit(x, y, quiet);
  CHECK(identical(model->get_weights()[0], before[0]));
  CHECK(!identical(model->get_weights()[2], before[2]));
  model->layers()[0]->set_trainable(true);
  model->compile({.optimizer = "adam", .loss = "mse"});
  model->fit(x, y, quiet);
  CHECK(!identical(model->get_weights()[0], before[0]));
}

TEST_CASE("test_on_batch and predict_on_batch change nothing") {
  const auto model = small_model({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  const auto before = model->get_weights();
  Logs logs = model->test_on_batch(x, y);
  const Tensor predicted = model->predict_on_batch(x).tensor();
  CHECK(logs["loss"] == Approx(ops::mean(ops::square(predicted - y)).item()));
  CHECK(logs["mae"] == Approx(ops::mean(ops::absolute(predicted - y)).item()));
  for (size_t i = 0; i < before.size(); ++i) CHECK(identical(model->get_weights()[i], before[i]));
  CHECK(model->optimizer()->iterations().item() == 0);
}

}  // namespace training_contract_test
