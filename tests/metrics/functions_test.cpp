// Metrics as functions, MeanMetricWrapper, and mistakes with the metrics of counts.
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/logic.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/losses/mean_squared_error.h>
#include <cornu/metrics/f1_score.h>
#include <cornu/metrics/functions.h>
#include <cornu/metrics/iou.h>
#include <cornu/metrics/mean_metric_wrapper.h>
#include <cornu/metrics/precision.h>
#include <cornu/metrics/r2_score.h>
#include <cornu/metrics/sensitivity_at_specificity.h>

#include "catch.h"
#include "losses/golden.h"
#include "support/all_close.h"

namespace functions_test {

using namespace cornu;

namespace {

const Tensor targets = Tensor::from({0.f, 1.f, 1.f, 0.f}, {2, 2});
const Tensor predictions = Tensor::from({0.1f, 0.7f, 0.4f, 0.2f}, {2, 2});

}  // namespace

TEST_CASE("a metric function gives what its class averages") {
  CHECK(metrics::binary_accuracy(targets, predictions).to_vector<float>() ==
        std::vector<float>{1, 1, 0, 1});
  CHECK(metrics::categorical_accuracy(targets, predictions).to_vector<float>() ==
        std::vector<float>{1, 1});
  CHECK(test::all_close(metrics::evaluate("mse", targets, predictions),
                        losses::MeanSquaredError({.reduction = "none"})(targets, predictions)));
  CHECK(metrics::evaluate("top_k_categorical_accuracy", targets, predictions, {{"k", 2}}).size() ==
        2);
  CHECK_THROWS_WITH(metrics::evaluate("binary_acuracy", targets, predictions),
                    test::contains("binary_accuracy"));
  CHECK_THROWS_AS(metrics::evaluate("auc", targets, predictions), ValueError);
}

TEST_CASE("correlations are of the predictions' type") {
  using metrics::pearson_correlation, metrics::concordance_correlation;
  const Tensor halves = ops::cast(predictions, DType::float16);
  CHECK(pearson_correlation(targets, halves).dtype() == DType::float16);
  CHECK(concordance_correlation(targets, halves).dtype() == DType::float16);
  CHECK(metrics::evaluate("pearson_correlation", targets, halves).dtype() == DType::float16);
  CHECK(pearson_correlation(targets, halves, {.dtype = DType::float32}).dtype() == DType::float32);
  CHECK(metrics::binary_accuracy(targets, halves).dtype() == DType::float32);
}

TEST_CASE("MeanMetricWrapper averages a function, and is kept in files by its name") {
  metrics::MeanMetricWrapper mine(
      {.fn = [](const Tensor& t, const Tensor& p) { return ops::mean(ops::abs(t - p), -1); }});
  CHECK((*mine)(targets, predictions).item() == Approx(0.3));
  CHECK_THROWS_AS(mine->get_config(), StateError);

  metrics::MeanMetricWrapper huber(
      {.fn = metrics::MetricFunction("huber", {{"delta", 0.25}}), .name = "robust"});
  const double value = (*huber)(targets, predictions).item();
  const auto again =
      std::dynamic_pointer_cast<metrics::MeanMetricWrapperMetric>(deserialize(serialize(*huber)));
  REQUIRE(again);
  CHECK(again->name() == "robust");
  CHECK((*again)(targets, predictions).item() == Approx(value));
}

TEST_CASE("metrics of counts explain mistakes") {
  CHECK_THROWS_WITH(metrics::IoU({.num_classes = 2, .target_class_ids = std::vector<int64_t>{2}}),
                    test::contains("[0, 2)"));
  CHECK_THROWS_AS(metrics::F1Score({.average = "mikro"}), ValueError);
  CHECK_THROWS_AS(metrics::F1Score()->result(), StateError);
  CHECK_THROWS_AS(metrics::F1Score()->update_state(ops::ones({3}), ops::ones({3})), ShapeError);
  CHECK_THROWS_AS(metrics::R2Score()->update_state(ops::ones({3}), ops::ones({3})), ShapeError);
  CHECK_THROWS_AS(metrics::SensitivityAtSpecificity({.specificity = 1.5}), ValueError);
}

TEST_CASE("class_id counts from the end as well") {
  metrics::Precision last({.class_id = -1}), same({.class_id = 1});
  CHECK((*last)(targets, predictions).item() == (*same)(targets, predictions).item());
}

}  // namespace functions_test
