// The contract of the metrics of classes: accuracies, overlaps, F scores and crossentropies.
// Expected figures are those of Keras.
#include <cornu/cornu.h>

#include "../catch.h"
#include "../support/temporary.h"
#include "metric_check.h"

namespace class_metrics_contract_test {

using namespace cornu;
using test::check_metric;
using test::equals;
using test::error_of;
using test::has;

namespace {

Tensor classes() { return Tensor(std::vector<int32_t>{0, 1, 2, 1, 2, 0}); }
Tensor guesses() { return Tensor(std::vector<int32_t>{0, 2, 2, 1, 1, 0}); }
Tensor weights() { return Tensor(std::vector<float>{1, 2, 1, 0.5f, 1, 3}); }
Tensor scores() {
  return Tensor::from({0.7f, 0.2f, 0.1f, 0.2f, 0.3f, 0.5f, 0.1f, 0.1f, 0.8f, 0.2f, 0.6f, 0.2f, 0.1f,
                       0.5f, 0.4f, 0.9f, 0.05f, 0.05f},
                      {6, 3});
}
Tensor one_hot() { return ops::one_hot(classes(), 3); }

using Figures = std::vector<double>;

test::MetricExpectation numbers(Figures plain, Figures weighted) {
  return {classes(), guesses(), weights(), std::move(plain), std::move(weighted)};
}
test::MetricExpectation scored(Figures plain, Figures weighted) {
  return {classes(), scores(), weights(), std::move(plain), std::move(weighted)};
}
test::MetricExpectation vectors(Figures plain, Figures weighted) {
  return {one_hot(), scores(), weights(), std::move(plain), std::move(weighted)};
}

}  // namespace

TEST_CASE("IoU and MeanIoU keep a metric's contract") {
  check_metric(
      [] {
        return metrics::IoU({.num_classes = 3, .target_class_ids = std::vector<int64_t>{0, 2}})
            .shared();
      },
      numbers({0.6666667}, {0.625}));
  check_metric([] { return metrics::MeanIoU({.num_classes = 3}).shared(); },
               numbers({0.5555556}, {0.4166667}));
  check_metric([] { return metrics::MeanIoU({.num_classes = 3, .ignore_class = 0}).shared(); },
               numbers({0.3333333}, {0.125}));
}

TEST_CASE("OneHotIoU and OneHotMeanIoU keep a metric's contract") {
  check_metric(
      [] {
        return metrics::OneHotIoU(
                   {.num_classes = 3, .target_class_ids = std::vector<int64_t>{0, 2}})
            .shared();
      },
      vectors({0.6666667}, {0.625}));
  check_metric([] { return metrics::OneHotMeanIoU({.num_classes = 3}).shared(); },
               vectors({0.5555556}, {0.4166667}));
  metrics::OneHotMeanIoU sparse({.num_classes = 3, .sparse_y_pred = true});
  CHECK((*sparse)(one_hot(), guesses()).item() == Approx(0.5555556));
}

TEST_CASE("perfect and perfectly wrong masks overlap fully and not at all") {
  metrics::MeanIoU mean({.num_classes = 3});
  CHECK((*mean)(classes(), classes()).item() == Approx(1));
  mean->reset_state();
  CHECK((*mean)(classes(), Tensor(std::vector<int32_t>{1, 2, 0, 2, 0, 1})).item() == Approx(0));
}

TEST_CASE("categorical accuracies keep a metric's contract") {
  check_metric([] { return metrics::CategoricalAccuracy().shared(); },
               vectors({0.6666667}, {0.6470588}));
  check_metric([] { return metrics::SparseCategoricalAccuracy().shared(); },
               scored({0.6666667}, {0.6470588}));
  check_metric([] { return metrics::TopKCategoricalAccuracy({.k = 2}).shared(); },
               vectors({1}, {1}));
  check_metric([] { return metrics::SparseTopKCategoricalAccuracy({.k = 2}).shared(); },
               scored({1}, {1}));
  check_metric([] { return metrics::TopKCategoricalAccuracy({.k = 1}).shared(); },
               vectors({0.6666667}, {0.6470588}));
}

TEST_CASE("crossentropies and divergences keep a metric's contract") {
  check_metric([] { return metrics::CategoricalCrossentropy().shared(); },
               vectors({0.5527114}, {0.5265352}));
  check_metric([] { return metrics::SparseCategoricalCrossentropy().shared(); },
               scored({0.5527114}, {0.5265352}));
  check_metric([] { return metrics::KLDivergence().shared(); }, vectors({0.5527086}, {0.5265324}));
  check_metric([] { return metrics::Poisson().shared(); }, vectors({0.5175704}, {0.508845}));
}

TEST_CASE("hinges and the cosine keep a metric's contract") {
  check_metric([] { return metrics::CategoricalHinge().shared(); },
               vectors({0.6416667}, {0.5941176}));
  check_metric([] { return metrics::Hinge().shared(); }, vectors({0.9222222}, {0.9019608}));
  check_metric([] { return metrics::SquaredHinge().shared(); }, vectors({1.0252779}, {1.0017648}));
  check_metric([] { return metrics::CosineSimilarity().shared(); },
               vectors({0.8237751}, {0.8201063}));
}

TEST_CASE("FBetaScore keeps a metric's contract in each average") {
  check_metric([] { return metrics::FBetaScore({.beta = 2}).shared(); },
               vectors({1, 0.5, 0.5}, {1, 0.2173913, 0.4545454}));
  check_metric([] { return metrics::FBetaScore({.average = "macro", .beta = 0.5}).shared(); },
               vectors({0.6666666}, {0.5504201}));
  check_metric(
      [] {
        return metrics::FBetaScore({.average = "micro", .beta = 2, .threshold = 0.3}).shared();
      },
      vectors({0.8064516}, {0.7471264}));
  check_metric([] { return metrics::FBetaScore({.average = "weighted", .beta = 2}).shared(); },
               vectors({0.6666667}, {0.6414787}));
  check_metric([] { return metrics::F1Score({.average = "macro"}).shared(); },
               vectors({0.6666667}, {0.55}));
}

TEST_CASE("F scores agree with precision and recall") {
  for (const double beta : {0.5, 1.0, 2.0}) {
    metrics::FBetaScore score({.average = "micro", .beta = beta, .threshold = 0.45});
    const double p =
        metrics::Precision({.thresholds = std::vector<double>{0.45}})(one_hot(), scores()).item();
    const double r =
        metrics::Recall({.thresholds = std::vector<double>{0.45}})(one_hot(), scores()).item();
    CHECK((*score)(one_hot(), scores()).item() ==
          Approx((1 + beta * beta) * p * r / (beta * beta * p + r)).epsilon(1e-5));
  }
}

TEST_CASE("metrics of classes in a compiled model are saved, and go on") {
  Sequential model({Input({2}), layers::Dense({.units = 3, .activation = "softmax"})});
  model.compile({.optimizer = "sgd",
                 .loss = "categorical_crossentropy",
                 .metrics = {metrics::FBetaScore({.average = "macro", .beta = 2}),
                             metrics::OneHotMeanIoU({.num_classes = 3}),
                             metrics::TopKCategoricalAccuracy({.k = 2})}});
  const Tensor x = Tensor::from(
      {1.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f, -1.0f, 0.5f, 0.3f, -1.0f, 0.9f, 0.2f}, {6, 2});
  model.fit(x, one_hot(), {.epochs = 2, .verbose = Verbose::silent});
  const test::TemporaryFolder folder;
  const std::string path = (folder / "m.keras").string();
  model.save(path);
  const auto loaded = load_model(path);
  const EvaluateOptions quiet{.verbose = Verbose::silent};
  Logs expected = model.evaluate(x, one_hot(), quiet),
       found = loaded->evaluate(x, one_hot(), quiet);
  for (const char* name :
       {"loss", "fbeta_score", "one_hot_mean_io_u", "top_k_categorical_accuracy"})
    CHECK(found[name] == Approx(expected[name]));
}

TEST_CASE("metrics of classes say what is wrong") {
  CHECK(has(error_of([] { metrics::FBetaScore({.average = "mean"}); }), "mean"));
  CHECK(has(error_of([] { metrics::FBetaScore({.beta = 0}); }), "beta"));
  CHECK(has(error_of([] { metrics::FBetaScore({.threshold = 1.5}); }), "threshold"));
  CHECK_THROWS_AS(metrics::IoU({.num_classes = 2, .target_class_ids = std::vector<int64_t>{2}}),
                  ValueError);
}

}  // namespace class_metrics_contract_test
