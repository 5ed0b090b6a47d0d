// Tests of what steps of one's own report: the trackers of compile, and what they return.
#include <cornu/callbacks/lambda_callback.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/metrics/mean.h>

#include <functional>

#include "model_support.h"

namespace step_figures_test {

using namespace cornu;
using namespace cornu::test;

namespace {

using Names = std::vector<std::string>;
const Verbose quiet = Verbose::silent;

// A model whose step is given; by default it trains as Model does.
class Stepped : public Sequential {
 public:
  using Step = std::function<StepLogs(Stepped&, const Batch&)>;
  explicit Stepped(Step step = {})
      : Sequential({Input({3}), constant_dense(1)}), step_(std::move(step)) {}
  StepLogs train_step(const Batch& batch) override {
    return step_ ? step_(*this, batch) : Sequential::train_step(batch);
  }

  // The loss of the batch, after an update.
  Tensor update(const Batch& batch, Nest& y_pred) {
    GradientTape tape;
    y_pred = (*this)(batch.x, {.training = true});
    const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
    const auto variables = trainable_variables();
    optimizer()->apply(tape.gradient(loss, variables), variables);
    return loss;
  }

 private:
  Step step_;
};

const Tensor x = wave({8, 3}), y = wave({8, 1}, 1);

History train(Stepped& model, MetricOption metrics = {"mae"}, bool eager = false) {
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = metrics, .run_eagerly = eager});
  return model.fit(x, y, {.batch_size = 4, .epochs = 3, .verbose = quiet, .shuffle = false});
}

// The step of Keras's guide.
StepLogs guide_step(Stepped& model, const Batch& batch) {
  Nest y_pred;
  const Tensor loss = model.update(batch, y_pred);
  for (const auto& metric : model.metrics()) {
    if (metric->name() == "loss")
      metric->update_state(loss);
    else
      metric->update_state(batch.y, y_pred);
  }
  return model.get_metrics_result();
}

void check_equal(const History& found, const History& expected) {
  REQUIRE(found.history.size() == expected.history.size());
  for (const auto& [name, values] : expected.history)
    for (size_t i = 0; i < values.size(); ++i) {
      INFO(name << ", epoch " << i);
      CHECK(found[name][i] == Approx(values[i]).epsilon(1e-6));
    }
}

}  // namespace

TEST_CASE("A compiled model has the loss's tracker and compile's metrics from the start") {
  Stepped model;
  CHECK(model.metrics().empty());
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  CHECK(model.metrics_names() == Names{"loss", "compile_metrics"});
  CHECK(model.metrics()[1]->metrics().empty());
  CHECK_THROWS_WITH(model.metrics()[1]->result(), has("no result yet"));
  model.train_on_batch(x, y);
  REQUIRE(model.metrics()[1]->metrics().size() == 1);
  CHECK(model.metrics()[1]->metrics()[0]->name() == "mae");
  // The mean's sum and weight, those of "mae".
  CHECK(model.metrics_variables().size() == 4);
  CHECK(floats(model.metrics()[1]->result()) == floats(model.metrics()[1]->metrics()[0]->result()));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  CHECK(model.metrics_names() == Names{"loss"});
}

TEST_CASE("A step with the trackers of compile reports what Model's own does") {
  Stepped model, guide(guide_step), eager(guide_step);
  const History expected = train(model);
  CHECK(expected.history.size() == 2);
  check_equal(train(guide), expected);
  check_equal(train(eager, {"mae"}, true), expected);
}

TEST_CASE("A step may return the result of each metric by its name") {
  const auto each = [](Stepped& m, const Batch& batch) {
    guide_step(m, batch);
    StepLogs logs;
    for (const auto& metric : m.metrics()) logs[metric->name()] = metric->result();
    return logs;
  };
  const MetricOption metrics = {"mae", "mse"};
  Stepped model, recorded(each), eager(each);
  const History expected = train(model, metrics);
  CHECK(expected.history.size() == 3);
  check_equal(train(recorded, metrics), expected);
  check_equal(train(eager, metrics, true), expected);
}

TEST_CASE("A step that returns nothing reports what the trackers took in") {
  Stepped model;
  const History expected = train(model);
  Stepped silent([](Stepped& m, const Batch& batch) -> StepLogs {
    guide_step(m, batch);
    return {};
  });
  check_equal(train(silent), expected);
  Stepped computed([](Stepped& m, const Batch& batch) -> StepLogs {
    Nest y_pred;
    m.metrics()[0]->update_state(m.update(batch, y_pred));
    return m.compute_metrics(batch.x, batch.y, y_pred);
  });
  check_equal(train(computed), expected);
}

TEST_CASE("A loss that nobody told the tracker is not reported as 0") {
  Stepped model([](Stepped& m, const Batch& batch) -> StepLogs {
    Nest y_pred;
    m.update(batch, y_pred);
    m.compute_metrics(batch.x, batch.y, y_pred);
    return {};
  });
  Names seen;
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  const auto look = callbacks::LambdaCallback({.on_train_batch_end = [&](int64_t, Logs& logs) {
    for (const auto& [name, value] : logs) seen.push_back(name);
  }});
  const History history = model.fit(x, y,
                                    {.batch_size = 8,
                                     .epochs = 2,
                                     .verbose = quiet,
                                     .callbacks = {look},
                                     .validation_data = {x, y}});
  CHECK(seen == Names{"mae", "mae"});
  CHECK(history.history.count("loss") == 0);
  // test_step is Model's, and validation tells the tracker.
  CHECK(history["val_loss"].size() == 2);
  CHECK(history["val_loss"][0] > 0);
}

TEST_CASE("Figures that are named as the metrics are those of the epoch") {
  // Of the last batch, as returned; the trackers have seen both.
  const auto step = [](bool told) {
    return [told](Stepped& m, const Batch& batch) -> StepLogs {
      const Nest y_pred = m(batch.x, {.training = true});
      const Tensor loss = m.compute_loss(batch.x, batch.y, y_pred);
      if (told) m.metrics()[0]->update_state(loss);
      return {{"loss", loss}};
    };
  };
  const auto loss_of = [](const Tensor& x, const Tensor& y) {
    Stepped model;
    return ops::mean(ops::square(model(x) - y)).item();
  };
  const double first = loss_of(x[Slice(0, 4)], y[Slice(0, 4)]),
               second = loss_of(x[Slice(4, 8)], y[Slice(4, 8)]);
  Stepped told(step(true)), untold(step(false));
  CHECK(train(told, {})["loss"][0] == Approx((first + second) / 2));
  CHECK(train(untold, {})["loss"][0] == Approx(second));
}

TEST_CASE("The figures of batches are the metrics' where names are the same") {
  Stepped model(guide_step);
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  const Logs logs = model.train_on_batch(x, y);
  CHECK(logs.size() == 2);
  CHECK(logs.at("loss") == Approx(ops::mean(ops::square(Stepped()(x) - y)).item()));
}

namespace {

class Listed : public Stepped {
 public:
  Listed()
      : Stepped([this](Stepped& m, const Batch& batch) -> StepLogs {
          Nest y_pred;
          own->update_state(m.update(batch, y_pred));
          return {{"own", own->result()}};
        }) {}
  std::vector<std::shared_ptr<Metric>> metrics() const override { return {own}; }
  std::shared_ptr<Metric> own = metrics::Mean({.name = "own"});
};

}  // namespace

TEST_CASE("A model may list its metrics itself") {
  Listed model;
  const History history = train(model);
  CHECK(history.history.size() == 1);
  CHECK(model.metrics_names() == Names{"own"});
  // Reset at the start of each epoch, else the mean of all three.
  Stepped plain;
  CHECK(history["own"][2] == Approx(train(plain)["loss"][2]));
}

namespace {

class Counting : public Stepped {
 public:
  StepLogs compute_metrics(const Nest& x, const Nest& y, const Nest& y_pred,
                           const Nest& sample_weight) override {
    StepLogs logs = Stepped::compute_metrics(x, y, y_pred, sample_weight);
    logs["largest"] = ops::max(ops::abs(y_pred.tensor()));
    size_->update_state(ops::abs(y_pred.tensor()));
    logs[size_->name()] = size_->result();
    return logs;
  }

 private:
  std::shared_ptr<Metric> size_ = add_metric(metrics::Mean({.name = "size"}));
};

}  // namespace

namespace {

class Extent : public Metric {
 public:
  Extent() : Metric("extent") {}
  void update_state(const Tensor& values, const Tensor&, const Tensor&) override {
    low_.assign(ops::min(values));
    high_.assign(ops::max(values));
  }
  std::vector<std::pair<std::string, Tensor>> results() override {
    return {{"low", low_}, {"high", high_}};
  }

 private:
  Variable low_ = add_variable(VariableOptions{.name = "low"});
  Variable high_ = add_variable(VariableOptions{.name = "high"});
};

class Extended : public Stepped {
 public:
  StepLogs train_step(const Batch& batch) override {
    Nest y_pred;
    const Tensor loss = update(batch, y_pred);
    extent_->update_state(batch.y.tensor(), {}, {});
    return {{"loss", loss}, {extent_->name(), extent_->result()}};
  }

 private:
  std::shared_ptr<Metric> extent_ = add_metric(std::make_shared<Extent>());
};

}  // namespace

TEST_CASE("Figures with names of a metric of one's own stand in the logs by these") {
  Extent extent;
  extent.update_state(ops::array({1, 4, 2}), {}, {});
  CHECK(floats(extent.result()) == std::vector<float>{1, 4});
  Extended model;
  const History history = train(model, {});
  CHECK(history.history.size() == 3);
  CHECK(history["high"][0] == Approx(ops::max(y[Slice(4, 8)]).item()));
  CHECK(history["low"][0] == Approx(ops::min(y[Slice(4, 8)]).item()));
}

TEST_CASE("compute_metrics may be overridden") {
  Counting model;
  Stepped plain;
  const History history = train(model), expected = train(plain);
  CHECK(history.history.size() == 4);
  CHECK(history["loss"][2] == Approx(expected["loss"][2]));
  CHECK(history["size"][0] > 0);
  CHECK(history["largest"][2] > 0);
  CHECK(model.evaluate(x, y, {.verbose = quiet}).at("size") ==
        Approx(ops::mean(ops::abs(model(x))).item()));
}

TEST_CASE("Figures of a step are set and read by name") {
  StepLogs logs{{"loss", Tensor(1.0)}};
  logs["mae"] = Tensor(2.0);
  logs["loss"] = Tensor(3.0);
  CHECK(logs.size() == 2);
  CHECK(logs.at("loss").item() == 3);
  CHECK_FALSE(logs.contains("mse"));
  CHECK_THROWS_WITH(logs.at("mea"), has("no 'mea'. Did you mean 'mae'?"));
  int made = 0;
  StepLogs later([&] {
    ++made;
    return StepLogs{{"loss", Tensor(1.0)}};
  });
  CHECK((later.pending() && made == 0));
  later["more"] = Tensor(2.0);
  CHECK((later.size() == 2 && !later.pending() && made == 1));
  // A step that looks at no figure does not compute them.
  Stepped model([](Stepped& m, const Batch& batch) {
    Nest y_pred;
    m.metrics()[0]->update_state(m.update(batch, y_pred));
    const StepLogs result = m.compute_metrics(batch.x, batch.y, y_pred);
    CHECK(result.pending());
    return result;
  });
  CHECK(train(model).history.size() == 2);
}

TEST_CASE("Losses of several outputs are metrics too") {
  Input in({3});
  Functional model(in, Nest{constant_dense(1)(in), constant_dense(2)(in)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Nest targets{wave({8, 1}), wave({8, 2})};
  const Logs logs = model.train_on_batch(x, targets);
  CHECK(model.metrics_names() == Names{"loss", "dense_loss", "dense_1_loss"});
  CHECK(logs.at("loss") == Approx(logs.at("dense_loss") + logs.at("dense_1_loss")));
  CHECK(model.get_metrics_result().size() == 3);
}

TEST_CASE("A loss as a function of values changes nothing") {
  Stepped model;
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto result =
      model.stateless_compute_loss(std::vector<Tensor>{ops::zeros({3, 1})}, std::vector<Tensor>{},
                                   model.metrics_variables(), x, y, model(x));
  CHECK(result.loss.item() == Approx(ops::mean(ops::square(model(x) - y)).item()));
  CHECK(result.trainable_variables.size() == 1);
  CHECK(result.non_trainable_variables.empty());
  CHECK(result.metrics_variables.size() == 2);
  CHECK(floats(model.get_weights()[0]) == std::vector<float>{1, 1, 1});
}

TEST_CASE("fit leaves its history, and evaluate can be stopped") {
  Stepped model;
  const History returned = train(model);
  CHECK(model.history().history == returned.history);
  int64_t batches = 0;
  const auto stop = callbacks::LambdaCallback(
      {.on_test_batch_end = [&](int64_t, Logs&) { model.stop_evaluating = ++batches == 2; }});
  const Logs logs = model.evaluate(x, y, {.batch_size = 2, .verbose = quiet, .callbacks = {stop}});
  CHECK(batches == 2);
  CHECK(logs.at("loss") ==
        Approx(ops::mean(ops::square(model(x[Slice(0, 4)]) - y[Slice(0, 4)])).item()));
  batches = 0;
  const auto stop_predict = callbacks::LambdaCallback(
      {.on_predict_batch_end = [&](int64_t, Logs&) { model.stop_predicting = true; }});
  CHECK(
      model.predict(x, {.batch_size = 2, .verbose = quiet, .callbacks = {stop_predict}}).shape() ==
      Shape{2, 1});
  CHECK(model.predict(x, {.batch_size = 2, .verbose = quiet}).shape() == Shape{8, 1});
}

TEST_CASE("Steps may be run eagerly later on") {
  Stepped model;
  train(model);
  CHECK(!model.run_eagerly());
  model.set_run_eagerly(true);
  CHECK(model.run_eagerly());
  CHECK(model.compile_options().run_eagerly);
  model.train_on_batch(x, y);
  CHECK_THAT(model.explain(), has("eager"));
}

TEST_CASE("All state is a tree of tensors") {
  Stepped model;
  train(model);
  const Value::Dict tree = model.get_state_tree();
  REQUIRE(tree.size() == 4);
  CHECK(tree[0].first == "trainable_variables");
  const Value* layer = detail::find(tree[0].second.get<Value::Dict>(), model.name());
  REQUIRE(layer);
  const Value* dense = detail::find(layer->get<Value::Dict>(), "dense");
  REQUIRE(dense);
  const Value* kernel = detail::find(dense->get<Value::Dict>(), "kernel");
  REQUIRE(kernel);
  CHECK(floats(kernel->get<Tensor>()) == floats(model.get_weights()[0]));
  CHECK(!tree[2].second.get<Value::Dict>().empty());
  CHECK(!tree[3].second.get<Value::Dict>().empty());

  const std::vector<float> before = floats(model.get_weights()[0]);
  train(model);
  CHECK(floats(model.get_weights()[0]) != before);
  model.set_state_tree({{tree[0].first, tree[0].second}});
  CHECK(floats(model.get_weights()[0]) == before);
  CHECK_THROWS_WITH(model.set_state_tree({{"trainable_variable", tree[0].second}}),
                    has("Did you mean 'trainable_variables'?"));
  CHECK_THROWS_AS(
      model.set_state_tree({{"trainable_variables", Value::Dict{{"x", ops::ones({1})}}}}),
      ValueError);
}

TEST_CASE("figures of a step are collected one by one") {
  StepLogs logs;
  logs.push_back({"loss", Tensor(1.0)});
  logs.emplace_back("mae", Tensor(2.0));
  logs["loss"] = Tensor(3.0);
  CHECK(logs.size() == 2);
  CHECK(logs.at("loss").item() == 3);
  CHECK(logs.at("mae").item() == 2);
}

}  // namespace step_figures_test
