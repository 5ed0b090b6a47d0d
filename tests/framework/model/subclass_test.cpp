// Tests of users' own models and layers.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/products.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/metrics/mean.h>
#include <cornu/optimizers/sgd.h>

#include "model_support.h"

namespace subclass_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

class Net : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override { return out(hidden(x)); }
  Dense hidden = track("hidden", Dense({.units = 5, .activation = "relu"}));
  Dense out = track("out", Dense({.units = 1}));
};

// A list of layers, and weights of its own made in build.
class Tower : public Model {
 public:
  explicit Tower(int64_t height) {
    std::vector<Dense> list;
    for (int64_t i = 0; i < height; ++i) list.push_back(Dense({.units = 4, .activation = "tanh"}));
    floors = track("floors", list);
  }
  void build(const Shape& input) override {
    kernel = add_weight({.name = "kernel", .shape = {input.back(), 4}});
  }
  Tensor call(const Tensor& x, const Call&) override {
    Tensor y = ops::matmul(x, kernel);
    for (auto& floor : floors) y = floor(y);
    return y;
  }
  std::vector<Dense> floors;
  Variable kernel;
};

// Another computation while it trains, and a layer made in build.
class NoisyLayer : public Layer {
 public:
  void build(const Shape& input) override {
    inner = track("inner",
                  Dense({.units = input.back(), .use_bias = false, .kernel_initializer = "ones"}));
  }
  Tensor call(const Tensor& x, const Call& call) override {
    flags.push_back(call.training.has_value() ? int(*call.training) : -1);
    if (call.training) return inner(x) * 2.0;  // the flag, not whether there is one
    return inner(x);
  }
  std::vector<int> flags;
  Dense inner = nullptr;
};

class HoldsNoisy : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override { return (*noisy)(x); }
  std::shared_ptr<NoisyLayer> noisy = track("noisy", make<NoisyLayer>());
};

// Looks at values on the way, as a debugger does.
class Curious : public Layer {
 public:
  Tensor call(const Tensor& x, const Call&) override {
    const double first = ops::sum(x).item();
    seen.push_back(first);
    return first > 0 ? x : -x;
  }
  std::vector<double> seen;
};

}  // namespace

TEST_CASE("A model of one's own trains") {
  Net net;
  CHECK_FALSE(net.built());
  net.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  const Tensor x = wave({32, 3}), y = ops::sum(x, 1, true);
  const History history = net.fit(x, y, {.epochs = 20, .verbose = Verbose::silent});
  CHECK(history["loss"].back() < 0.5 * history["loss"].front());
  CHECK(net.count_params() == 3 * 5 + 5 + 6);
  CHECK(net.name() == "net");
  CHECK(names(net.sublayers()) == std::vector<std::string>{"dense", "dense_1"});
}

TEST_CASE("Lists of layers and own weights are tracked") {
  Tower tower(3);
  CHECK(tower(wave({2, 6})).shape() == Shape{2, 4});
  CHECK(tower.weights().size() == 1 + 3 * 2);
  CHECK(tower.tracked().size() == 1);
  CHECK(tower.tracked()[0].is_list);
  CHECK(tower.tracked()[0].layers.size() == 3);
  CHECK(tower.weights()[0].name() == "kernel");
  Tower other(3);
  other(wave({2, 6}));
  other.set_weights(tower.get_weights());
  CHECK(close(other.predict(wave({2, 6})), tower.predict(wave({2, 6}))));
}

TEST_CASE("Layers inside are told whether training is on") {
  HoldsNoisy model;
  const Tensor ones = ops::ones({1, 2});
  CHECK(floats(model.predict(ones)) == std::vector<float>{2, 2});
  CHECK(model.noisy->flags.back() == 0);
  CHECK(floats(model(ones, {.training = true})) == std::vector<float>{4, 4});
  CHECK(model.noisy->flags.back() == 1);
  CHECK(floats(model(ones)) == std::vector<float>{2, 2});
  CHECK(model.noisy->flags.back() == -1);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(ones, ones, {.verbose = Verbose::silent});
  CHECK(model.noisy->flags.back() == 1);
  model.evaluate(ones, ones, {.verbose = Verbose::silent});
  CHECK(model.noisy->flags.back() == 0);
}

TEST_CASE("A layer may read values in a model") {
  auto curious = make<Curious>();
  Sequential model({Input({2}), constant_dense(2), curious, constant_dense(1)});
  CHECK(floats(model.predict(Tensor::from({1.0f, 2.0f}, {1, 2}))) == std::vector<float>{6});
  CHECK(floats(model.predict(Tensor::from({-1.0f, -2.0f}, {1, 2}))) == std::vector<float>{6});
  CHECK(curious->seen == std::vector<double>{6, -6});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  CHECK_NOTHROW(model.fit(wave({4, 2}), wave({4, 1}), {.verbose = Verbose::silent}));
  CHECK(model.weights().size() == 2);
}

TEST_CASE("A loss may read values") {
  std::vector<double> seen;
  Sequential model({Input({2}), Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = [&](const Tensor& y, const Tensor& p) {
                   const Tensor loss = ops::mean(ops::square(y - p));
                   seen.push_back(loss.item());
                   return seen.back() > 1e6 ? loss * 0.0 : loss;
                 }});
  const History history = model.fit(wave({8, 2}), wave({8, 1}),
                                    {.batch_size = 8, .epochs = 3, .verbose = Verbose::silent});
  REQUIRE(seen.size() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(history["loss"][i] == Approx(seen[i]));
}

namespace {

// Its own steps, with its own figures.
class OwnSteps : public Net {
 public:
  StepLogs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor y = (*this)(batch.x.tensor(), {.training = true});
    const Tensor loss = ops::mean(ops::abs(batch.y.tensor() - y));
    values.push_back(loss.item());
    const std::vector<Variable> variables = trainable_variables();
    optimizer()->apply(tape.gradient(loss, variables), variables);
    return {{"distance", loss}};
  }
  StepLogs test_step(const Batch& batch) override {
    const Tensor y = (*this)(batch.x.tensor());
    return {{"far", ops::max(ops::abs(batch.y.tensor() - y))}};
  }
  Nest predict_step(const Batch& batch) override {
    const Tensor y = (*this)(batch.x.tensor());
    return Nest::dict({{"plain", y}, {"twice", y * 2.0}});
  }
  std::vector<double> values;
};

class OwnLoss : public Net {
 public:
  Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                      const Nest& weight) override {
    const Tensor loss = Net::compute_loss(x, y, y_pred, weight) + 10.0;
    mean->update_state(loss);
    return loss;
  }
  std::shared_ptr<Metric> mean = add_metric(metrics::Mean({.name = "mean_loss"}).shared());
};

}  // namespace

TEST_CASE("Steps may be overridden") {
  OwnSteps model;
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.05})});
  const Tensor x = wave({8, 3}), y = wave({8, 1}, 1);
  const History history = model.fit(
      x, y, {.batch_size = 4, .epochs = 3, .verbose = Verbose::silent, .validation_data = {x, y}});
  CHECK(model.values.size() == 6);
  CHECK(history["distance"] ==
        std::vector<double>{model.values[1], model.values[3], model.values[5]});
  CHECK(history["val_far"].size() == 3);
  CHECK(model.evaluate(x, y, {.verbose = Verbose::silent}).count("far") == 1);
  const Nest out = model.predict(x, {.batch_size = 3, .verbose = Verbose::silent});
  CHECK(out["twice"].tensor().shape() == Shape{8, 1});
  CHECK(close(out["plain"].tensor() * 2.0, out["twice"]));
}

TEST_CASE("compute_loss may be overridden, and metrics added") {
  OwnLoss model;
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = wave({8, 3}), y = wave({8, 1}, 1);
  const History history = model.fit(x, y, {.batch_size = 4, .verbose = Verbose::silent});
  CHECK(history["loss"][0] > 10);
  CHECK(history["mean_loss"][0] == Approx(history["loss"][0]));
  const Logs logs = model.evaluate(x, y, {.verbose = Verbose::silent});
  CHECK(logs.at("mean_loss") == Approx(logs.at("loss")));
  CHECK(model.metrics_names() == std::vector<std::string>{"loss", "mean_loss"});
}

TEST_CASE("A layer without a computation says so") {
  class Nothing : public Layer {};
  auto nothing = make<Nothing>();
  CHECK_THROWS_WITH((*nothing)(ops::ones({1})), has("neither call nor call_many is overridden"));
}

TEST_CASE("A failed build leaves nothing behind") {
  class Picky : public Layer {
   public:
    void build(const Shape& input) override {
      kernel = add_weight({.name = "kernel", .shape = {input.back(), 2}});
      inner = track("inner", Dense({.units = 2}));
      if (input.back() != 3) throw ShapeError("wants 3 features");
    }
    Tensor call(const Tensor& x, const Call&) override { return inner(ops::matmul(x, kernel)); }
    Variable kernel;
    Dense inner = nullptr;
  };
  auto picky = make<Picky>();
  CHECK_THROWS_WITH((*picky)(ops::ones({1, 2})), has("Layer 'picky' (Picky): wants 3 features"));
  CHECK(picky->weights().empty());
  CHECK((*picky)(ops::ones({1, 3})).shape() == Shape{1, 2});
  CHECK(picky->weights().size() == 3);
}

TEST_CASE("Frozen layers keep their weights") {
  Net net;
  net.compile({.optimizer = "sgd", .loss = "mse"});
  net(wave({1, 3}));
  net.hidden->set_trainable(false);
  const auto before = net.get_weights();
  net.fit(wave({8, 3}), wave({8, 1}), {.verbose = Verbose::silent});
  const auto after = net.get_weights();
  CHECK(floats(after[0]) == floats(before[0]));
  CHECK_FALSE(floats(after[2]) == floats(before[2]));
  CHECK(net.trainable_variables().size() == 2);
}

}  // namespace subclass_test
