// Metrics against Keras.
#include <cornu/framework/base/metric.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/tensor/tensor.h>
#include <cornu/metrics/accuracy.h>
#include <cornu/metrics/auc.h>
#include <cornu/metrics/mean.h>
#include <cornu/metrics/mean_squared_error.h>
#include <cornu/metrics/precision.h>
#include <cornu/metrics/sum.h>

#include "catch.h"
#include "losses/golden.h"

namespace metrics_test {

using namespace cornu;

TEST_CASE("metrics agree with Keras after each update, and again after a reset") {
  for (const auto& c : test::read_json("tests/data/metrics.json")) {
    INFO(c.at("class") << " " << c.at("config"));
    const ClassInfo* info = catalog().find("keras.metrics", c.at("class"));
    REQUIRE(info);
    const auto metric = std::dynamic_pointer_cast<Metric>(
        info->make(test::value_of(c.at("config")).get<Value::Dict>()));
    REQUIRE(metric);
    for (int round = 0; round < 2; ++round) {
      int step_number = 0;
      for (const auto& step : c.at("steps")) {
        INFO("round " << round << " step " << step_number++ << " " << step);
        Tensor arguments[3];
        size_t n = 0;
        for (const auto& t : step.at("arguments")) arguments[n++] = test::tensor_of(t);
        if (step.contains("mask"))
          arguments[1].set_mask(ops::cast(test::tensor_of(step.at("mask")), DType::boolean));
        metric->update_state(arguments[0], arguments[1], arguments[2]);
        const Tensor got = metric->result();
        CHECK(got.shape().str() ==
              Shape(step.at("out").at("shape").get<std::vector<int64_t>>()).str());
        const auto values = got.to_vector<double>();
        const auto expected = step.at("out").at("values").get<std::vector<double>>();
        REQUIRE(values.size() == expected.size());
        for (size_t i = 0; i < values.size(); ++i)
          CHECK(values[i] == Approx(expected[i]).epsilon(2e-5).margin(2e-6));
      }
      metric->reset_state();
    }
  }
}

TEST_CASE("metrics are zero before any data") {
  CHECK(metrics::Mean()->result().item() == 0);
  CHECK(metrics::Sum()->result().item() == 0);
  CHECK(metrics::Accuracy()->result().item() == 0);
  CHECK(metrics::Precision()->result().item() == 0);
  CHECK(metrics::AUC()->result().item() == 0);
  CHECK(metrics::AUC({.multi_label = true})->result().item() == 0);
}

TEST_CASE("a metric is called, and reads weights in either place") {
  const metrics::Mean mean;
  CHECK((*mean)(Tensor(std::vector<float>{1, 3})).item() == Approx(2));
  mean->reset_state();
  mean->update_state(Tensor(std::vector<float>{1, 3}), {}, Tensor(std::vector<float>{1, 0}));
  CHECK(mean->result().item() == Approx(1));
}

TEST_CASE("metrics are found by name and keep their options in files") {
  CHECK(std::dynamic_pointer_cast<metrics::MeanSquaredErrorMetric>(
      make_by_name("keras.metrics", "mse")));
  CHECK(make_by_name("keras.metrics", "sparse_categorical_accuracy"));
  const Value saved =
      serialize(*metrics::AUC({.num_thresholds = 10, .curve = "PR", .name = "area"}));
  const auto again = std::dynamic_pointer_cast<metrics::AUCMetric>(deserialize(saved));
  REQUIRE(again);
  CHECK(again->config.num_thresholds == 10);
  CHECK(again->config.curve == "PR");
  CHECK(again->name() == "area");
  for (const auto& [key, value] : metrics::Mean()->get_config())
    if (key == "dtype") CHECK(value.get<std::string>() == "float32");
}

TEST_CASE("metrics refuse what does not fit") {
  CHECK_THROWS_AS(metrics::AUC({.num_thresholds = 1}), ValueError);
  CHECK_THROWS_WITH(metrics::AUC({.curve = "RC"}), test::contains("roc"));
  CHECK_THROWS_AS(metrics::AUC({.num_labels = 2}), ValueError);
  CHECK_THROWS_AS(metrics::Precision({.thresholds = std::vector<double>{1.5}}), ValueError);
  CHECK_THROWS_AS(metrics::AUC()(ops::zeros({4}), ops::zeros({5})), ShapeError);
  CHECK_THROWS_AS(metrics::AUC({.multi_label = true})(ops::zeros({4}), ops::zeros({4})),
                  ShapeError);
  CHECK_THROWS_WITH(
      metrics::MeanSquaredError()(ops::zeros({4, 1}), ops::zeros({4, 1}), ops::ones({3})),
      test::contains("sample_weight"));
}

TEST_CASE("metrics take numbers in braces") {
  metrics::Mean mean;
  mean->update_state({1, 2}, {0.5, 1});
  CHECK(mean->result().item() == Approx(1.6666666));
  mean->update_state({4});
  CHECK(mean->result().item() == Approx(2.6));
  metrics::AUC auc;
  auc->update_state({0, 1, 1, 0}, {0.1, 0.9, 0.4, 0.6});
  CHECK(auc->result().item() == Approx(0.75));
  const Choice<Metric> accuracy = metrics::get("binary_accuracy");
  accuracy->update_state({1, 0, 1}, {0.9, 0.8, 0.1}, {1, 1, 2});
  CHECK(accuracy->result().item() == 0.25);
  metrics::Sum sum;
  sum->update_state({1, 2}, Tensor(std::vector<float>{3, 4}));
  sum->update_state({5, 6}, {});
  CHECK(sum->result().item() == 22);
}

}  // namespace metrics_test
