// The contract of the metrics of yes and no: counts, precision and recall, areas, overlaps.
// Expected figures are those of Keras.
#include <cornu/cornu.h>

#include "../catch.h"
#include "metric_check.h"

namespace binary_metrics_contract_test {

using namespace cornu;
using test::check_metric;
using test::error_of;
using test::has;

namespace {

const std::vector<double> thresholds = {0.25, 0.5, 0.7};

test::MetricExpectation samples(std::vector<double> plain, std::vector<double> weighted) {
  return {Tensor(std::vector<float>{0, 1, 1, 0, 1, 0, 1, 1}),
          Tensor(std::vector<float>{0.1f, 0.8f, 0.4f, 0.6f, 0.9f, 0.2f, 0.55f, 0.3f}),
          Tensor(std::vector<float>{1, 2, 0.5f, 1, 3, 0.25f, 1, 2}), std::move(plain),
          std::move(weighted)};
}

}  // namespace

TEST_CASE("counts of right and wrong answers keep a metric's contract") {
  check_metric([] { return metrics::TruePositives().shared(); }, samples({3}, {6}));
  check_metric([] { return metrics::TrueNegatives().shared(); }, samples({2}, {1.25}));
  check_metric([] { return metrics::FalsePositives().shared(); }, samples({1}, {1}));
  check_metric([] { return metrics::FalseNegatives().shared(); }, samples({2}, {2.5}));
}

TEST_CASE("counts have a figure for each threshold") {
  check_metric([] { return metrics::TruePositives({.thresholds = thresholds}).shared(); },
               samples({5, 3, 2}, {8.5, 6, 5}));
  check_metric(
      [] {
        return metrics::FalsePositives({.thresholds = std::vector<double>{0.15, 0.5}}).shared();
      },
      samples({2, 1}, {1.25, 1}));
}

TEST_CASE("the four counts are all samples, whatever the threshold") {
  for (const double threshold : {0.0, 0.15, 0.5, 0.85, 1.0}) {
    const std::vector<double> at = {threshold};
    const std::vector<std::shared_ptr<Metric>> all = {
        metrics::TruePositives({.thresholds = at}).shared(),
        metrics::TrueNegatives({.thresholds = at}).shared(),
        metrics::FalsePositives({.thresholds = at}).shared(),
        metrics::FalseNegatives({.thresholds = at}).shared()};
    const auto d = samples({}, {});
    double samples = 0, weights = 0;
    for (const auto& metric : all) {
      samples += (*metric)(d.y_true, d.y_pred).item();
      metric->reset_state();
      weights += (*metric)(d.y_true, d.y_pred, d.weights).item();
    }
    CHECK(samples == Approx(8));
    CHECK(weights == Approx(10.75));
  }
}

TEST_CASE("Precision and Recall keep a metric's contract") {
  check_metric([] { return metrics::Precision().shared(); }, samples({0.75}, {0.8571429}));
  check_metric([] { return metrics::Recall().shared(); }, samples({0.6}, {0.7058824}));
  check_metric([] { return metrics::Recall({.thresholds = thresholds}).shared(); },
               samples({1, 0.6, 0.4}, {1, 0.7058824, 0.5882353}));
}

TEST_CASE("Recall of one class, and of the largest scores") {
  const Tensor y = Tensor::from({0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f}, {2, 3});
  const Tensor scores = Tensor::from({0.1f, 0.4f, 0.9f, 0.7f, 0.2f, 0.6f}, {2, 3});
  CHECK(metrics::Recall({.class_id = 2})(y, scores).item() == Approx(1));
  CHECK(metrics::Recall({.top_k = 1})(y, scores).item() == Approx(1.0 / 3));
  CHECK(metrics::Recall({.top_k = 2})(y, scores).item() == Approx(1));
  CHECK(metrics::Precision({.top_k = 2})(y, scores).item() == Approx(0.75));
}

TEST_CASE("one figure at another keeps a metric's contract") {
  check_metric([] { return metrics::PrecisionAtRecall({.recall = 0.5}).shared(); },
               samples({0.8333333}, {1}));
  check_metric([] { return metrics::RecallAtPrecision({.precision = 0.8}).shared(); },
               samples({1}, {1}));
  check_metric([] { return metrics::SensitivityAtSpecificity({.specificity = 0.5}).shared(); },
               samples({1}, {1}));
  check_metric([] { return metrics::SpecificityAtSensitivity({.sensitivity = 0.5}).shared(); },
               samples({0.6666667}, {1}));
}

TEST_CASE("AUC keeps a metric's contract on both curves") {
  check_metric([] { return metrics::AUC().shared(); }, samples({0.8}, {0.8169935}));
  check_metric([] { return metrics::AUC({.curve = "PR"}).shared(); },
               samples({0.8613706}, {0.9459374}));
}

TEST_CASE("BinaryAccuracy keeps a metric's contract") {
  check_metric([] { return metrics::BinaryAccuracy().shared(); }, samples({0.625}, {0.6744186}));
  check_metric([] { return metrics::BinaryAccuracy({.threshold = 0.35}).shared(); },
               samples({0.75}, {0.7209302}));
}

TEST_CASE("BinaryIoU keeps a metric's contract") {
  check_metric([] { return metrics::BinaryIoU().shared(); }, samples({0.45}, {0.4583333}));
  check_metric(
      [] { return metrics::BinaryIoU({.target_class_ids = {1}, .threshold = 0.35}).shared(); },
      samples({0.6666666}, {0.6666666}));
}

TEST_CASE("means in 64 bits keep their state in 64 bits") {
  metrics::BinaryAccuracy metric({.dtype = DType::float64});
  const auto d = samples({}, {});
  CHECK((*metric)(d.y_true, d.y_pred).dtype() == DType::float64);
  for (const Variable& v : metric->variables()) CHECK(v.dtype() == DType::float64);
}

TEST_CASE("binary metrics say what is wrong") {
  CHECK(has(error_of([] { metrics::Recall({.thresholds = std::vector<double>{-0.5}}); }), "-0.5"));
  CHECK(has(error_of([] { metrics::PrecisionAtRecall({.recall = 1.5}); }), "recall"));
  CHECK(has(error_of([] { metrics::RecallAtPrecision({.precision = -1}); }), "precision"));
  CHECK(
      has(error_of([] { metrics::SpecificityAtSensitivity({.sensitivity = 2}); }), "sensitivity"));
  CHECK_THROWS_AS(metrics::SensitivityAtSpecificity({.specificity = 0.5, .num_thresholds = 0}),
                  ValueError);
  CHECK_THROWS_AS(metrics::BinaryIoU({.target_class_ids = {2}}), ValueError);
  CHECK_THROWS_AS((*metrics::TruePositives())(ops::ones({4}), ops::ones({5})), ShapeError);
}

}  // namespace binary_metrics_contract_test
