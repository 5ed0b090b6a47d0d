// The contract of the metrics of numbers: errors, scores and correlations. Expected figures are
// those of Keras.
#include <cornu/cornu.h>

#include <cmath>

#include "../catch.h"
#include "metric_check.h"

namespace regression_metrics_contract_test {

using namespace cornu;
using test::check_metric;
using test::equals;
using test::error_of;
using test::has;

namespace {

test::MetricExpectation samples(double plain, std::vector<double> weighted) {
  return {Tensor::from({1.0f, 2.0f, 3.0f, 4.5f, 0.5f, -1.0f, 2.0f, 2.0f}, {4, 2}),
          Tensor::from({1.5f, 2.0f, 2.0f, 5.0f, 0.25f, -1.5f, 3.0f, 1.0f}, {4, 2}),
          Tensor(std::vector<float>{1, 2, 0.5f, 1}),
          {plain},
          std::move(weighted)};
}

}  // namespace

TEST_CASE("errors keep a metric's contract") {
  check_metric([] { return metrics::MeanSquaredError().shared(); },
               samples(0.4765625, {0.5451389}));
  check_metric([] { return metrics::MeanAbsoluteError().shared(); }, samples(0.59375, {0.6527778}));
  check_metric([] { return metrics::MeanAbsolutePercentageError().shared(); },
               samples(36.8055573, {32.0987663}));
  check_metric([] { return metrics::MeanSquaredLogarithmicError().shared(); },
               samples(0.0525661, {0.0549156}));
  check_metric([] { return metrics::RootMeanSquaredError().shared(); },
               samples(0.690335, {0.7383352}));
  check_metric([] { return metrics::LogCoshError().shared(); }, samples(0.211577, {0.241221}));
}

TEST_CASE("R2Score keeps a metric's contract") {
  check_metric([] { return metrics::R2Score().shared(); }, samples(0.637058, {0.5440224}));
}

TEST_CASE("R2Score of a perfect guess is 1, of the mean 0") {
  const auto d = samples(0, {});
  CHECK(metrics::R2Score()(d.y_true, d.y_true).item() == Approx(1));
  const Tensor mean = ops::broadcast_to(ops::mean(d.y_true, 0, true), {4, 2});
  CHECK(metrics::R2Score()(d.y_true, mean).item() == Approx(0).margin(1e-6));
  metrics::R2Score each({.class_aggregation = std::nullopt});
  CHECK((*each)(d.y_true, d.y_true).shape() == Shape{2});
  CHECK_THROWS_AS(metrics::R2Score({.class_aggregation = "median"}), ValueError);
  CHECK_THROWS_AS(metrics::R2Score({.num_regressors = -1}), ValueError);
}

TEST_CASE("correlations keep a metric's contract") {
  auto pearson = samples(0.8399767, {}), concordance = samples(0.8281586, {});
  pearson.sums = concordance.sums = false;  // batches have correlations of their own
  check_metric([] { return metrics::PearsonCorrelation({.axis = 0}).shared(); }, pearson);
  check_metric([] { return metrics::ConcordanceCorrelation({.axis = 0}).shared(); }, concordance);
}

TEST_CASE("correlations of a line with another: only the concordance sees the scale") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {1, 4});
  CHECK(metrics::PearsonCorrelation()(x, x * 3.0 + 1.0).item() == Approx(1).epsilon(1e-4));
  CHECK(metrics::PearsonCorrelation()(x, x * -2.0).item() == Approx(-1).epsilon(1e-4));
  CHECK(metrics::ConcordanceCorrelation()(x, x).item() == Approx(1).epsilon(1e-4));
  // 2 cov / (var + var + (mean - mean)^2)
  CHECK(metrics::ConcordanceCorrelation()(x, x + 2.0).item() ==
        Approx(2.5 / (2.5 + 4)).epsilon(1e-4));
}

TEST_CASE("Mean and Sum take values and weights") {
  metrics::Mean mean;
  metrics::Sum sum;
  for (int i = 1; i <= 3; ++i) {
    mean->update_state(Tensor(std::vector<float>{1.0f * i, 2.0f * i}));
    sum->update_state(Tensor(std::vector<float>{1.0f * i, 2.0f * i}), {},
                      Tensor(std::vector<float>{1, 0.5f}));
  }
  CHECK(mean->result().item() == Approx(3));
  CHECK(sum->result().item() == Approx(12));
  mean->reset_state();
  CHECK(mean->result().item() == 0);
  test::remade<Metric>(*mean);
  test::remade<Metric>(*sum);
}

TEST_CASE("MeanMetricWrapper is the mean of a function") {
  const auto gap = [](const Tensor& y, const Tensor& p) {
    return ops::max(ops::absolute(y - p), -1);
  };
  metrics::MeanMetricWrapper metric({.fn = gap, .name = "gap"});
  const auto d = samples(0, {});
  CHECK((*metric)(d.y_true, d.y_pred).item() == Approx((0.5 + 1 + 0.5 + 1) / 4));
  CHECK(metric->name() == "gap");
  CHECK_THROWS_AS(metric->get_config(), StateError);
}

TEST_CASE("a metric of one's own is updated by fit, evaluate and test_on_batch") {
  class LargestError : public Metric {
   public:
    LargestError() : Metric("largest_error"), worst_(add_variable(Tensor(0.0f), "worst")) {}
    void update_state(const Tensor& y, const Tensor& p, const Tensor&) override {
      worst_.assign(ops::maximum(worst_.value(), ops::max(ops::absolute(y - p))));
    }
    Tensor result() override { return worst_.value(); }
    Value::Dict get_config() const override { return {{"name", name()}}; }

   private:
    Variable worst_;
  };
  Sequential model({Input({2}), layers::Dense({.units = 2, .kernel_initializer = "zeros"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0}),
                 .loss = "mse",
                 .metrics = {std::make_shared<LargestError>()}});
  const auto d = samples(0, {});
  const FitOptions quiet{.batch_size = 2, .epochs = 3, .verbose = Verbose::silent};
  const History history = model.fit(d.y_true, d.y_true, quiet);
  CHECK(history["largest_error"] == std::vector<double>{4.5, 4.5, 4.5});
  CHECK(model.evaluate(d.y_true, d.y_true, {.verbose = Verbose::silent})["largest_error"] ==
        Approx(4.5));
  CHECK(model.test_on_batch(d.y_true * 2.0, d.y_true * 2.0)["largest_error"] == Approx(9));
}

TEST_CASE("metrics of numbers say what does not fit") {
  const std::string message = error_of([] {
    metrics::MeanAbsoluteError()(ops::ones({2, 3}), ops::ones({4, 3}));
  });
  CHECK(has(message, "(2, 3)"));
  CHECK(has(message, "(4, 3)"));
  CHECK(has(error_of([] { make_by_name("keras.metrics", "mean_squared_eror"); }),
            "mean_squared_error"));
}

}  // namespace regression_metrics_contract_test
