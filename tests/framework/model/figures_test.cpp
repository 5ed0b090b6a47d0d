// Tests of metrics with several figures: what fit, History and callbacks make of them. The numbers
// are Keras 3.15's.
#include <cornu/callbacks/lambda_callback.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/nn/one_hot.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/metrics/f1_score.h>
#include <cornu/metrics/mean_metric_wrapper.h>
#include <cornu/metrics/precision.h>
#include <cornu/metrics/r2_score.h>

#include "model_support.h"

namespace figures_test {

using namespace cornu;
using namespace cornu::test;

namespace {

const Verbose quiet = Verbose::silent;

// Counts batches, in a dictionary of two figures.
class Counter : public Metric {
 public:
  Counter() : Metric("counter"), count_(add_variable(ops::zeros({}), "count")) {}
  void update_state(const Tensor&, const Tensor&, const Tensor&) override {
    count_.assign_add(Tensor(1.0));
  }
  std::vector<std::pair<std::string, Tensor>> results() override {
    return {{"one", count_.value()}, {"two", count_.value() * 2.0}};
  }
  Value::Dict get_config() const override { return {}; }

 private:
  Variable count_;
};

class Silent : public Metric {
 public:
  Silent() : Metric("silent") {}
  void update_state(const Tensor&, const Tensor&, const Tensor&) override {}
  Value::Dict get_config() const override { return {}; }
};

Tensor gap(const Tensor& y_true, const Tensor& y_pred) {
  return ops::mean(ops::abs(y_true - y_pred), -1);
}

struct Case {
  Sequential model{
      {Input({3}),
       layers::Dense({.units = 3, .activation = "softmax", .kernel_initializer = "identity"})}};
  Tensor x = ops::reshape(ops::arange(24), {8, 3}) / 10.0;
  Tensor y = ops::one_hot(Tensor::from(std::vector<int32_t>{0, 1, 2, 0, 1, 2, 0, 1}, {8}), 3);

  explicit Case(MetricOption::List metrics) {
    model.compile({.optimizer = "sgd", .loss = "mse", .metrics = std::move(metrics)});
  }
};

void check(const Tensor& figures, const std::vector<double>& expected) {
  REQUIRE(figures.rank() == 1);
  const std::vector<double> found = figures.to_vector<double>();
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == Approx(expected[i]).epsilon(1e-4).margin(1e-6));
}

}  // namespace

TEST_CASE("History and callbacks hold arrays of a metric's several figures") {
  Case c({metrics::F1Score(), metrics::Precision({.thresholds = std::vector<double>{0.2, 0.5}}),
          metrics::R2Score({.class_aggregation = std::nullopt}),
          std::shared_ptr<Metric>(std::make_shared<Counter>())});
  std::vector<Tensor> seen;
  const auto look = callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t, Logs& logs) { seen.push_back(logs.array("f1_score")); },
       .on_train_batch_end = [&](int64_t,
                                 Logs& logs) { seen.push_back(logs.array("precision")); }});
  const History history = c.model.fit(c.x, c.y,
                                      {.batch_size = 4,
                                       .epochs = 2,
                                       .verbose = Verbose::lines,
                                       .callbacks = {look},
                                       .validation_data = {c.x, c.y},
                                       .shuffle = false});
  CHECK(history["loss"][0] == Approx(0.22579748928546906));
  check(history.arrays.at("f1_score").back(), {0, 0, 0.39999998});
  check(history.arrays.at("precision")[0], {0.33333334, 0});
  check(history.arrays.at("r2_score")[0], {-0.02368808, -0.00804532, -0.07309306});
  check(history.arrays.at("val_r2_score")[1], {-0.02340329, -0.00682878, -0.07086217});
  CHECK(history.arrays.size() == 6);
  // The mean is what the progress bar shows.
  CHECK(history["f1_score"][0] == Approx(0.39999998 / 3));
  CHECK(history["one"] == std::vector<double>{2, 2});
  CHECK(history["val_two"] == std::vector<double>{4, 4});
  REQUIRE(seen.size() == 6);
  check(seen[0], {0.33333334, 0});
  check(seen[2], {0, 0, 0.39999998});
  const Logs logs = c.model.evaluate(c.x, c.y, {.verbose = quiet});
  check(logs.array("f1_score"), {0, 0, 0.39999998});
  CHECK(logs.text("one") == "1.0");
  CHECK(logs.at("one") == 1);
  check(c.model.train_on_batch(c.x, c.y).array("precision"), {0.33333334, 0});
}

TEST_CASE("a function's figure is called lambda, or as MeanMetricWrapper says") {
  Case c({gap, gap, metrics::MeanMetricWrapper({.fn = gap, .name = "gap"})});
  const Logs logs = c.model.evaluate(c.x, c.y, {.verbose = quiet});
  CHECK(logs.at("lambda") == Approx(0.4472638));
  CHECK(logs.at("lambda_1") == logs.at("lambda"));
  CHECK(logs.at("gap") == Approx(logs.at("lambda")));
}

TEST_CASE("a metric without any result says so") {
  Case c({std::shared_ptr<Metric>(std::make_shared<Silent>())});
  CHECK_THROWS_WITH(c.model.evaluate(c.x, c.y, {.verbose = quiet}),
                    has("Metric 'silent' overrides neither result"));
}

}  // namespace figures_test
