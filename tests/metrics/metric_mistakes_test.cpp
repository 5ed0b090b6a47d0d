// What metrics refuse, and what they say. A batch that was refused does not count.
#include <cornu/cornu.h>

#include <cmath>

#include "../support/contract.h"
#include "../support/pattern.h"

namespace metric_mistakes_test {

using namespace cornu;
using test::error_of;
using test::has;
using test::pattern;

namespace {

std::shared_ptr<Metric> make(const std::string& name, const Value::Dict& options = {}) {
  const ClassInfo* const info = catalog().find("keras.metrics", name);
  REQUIRE(info);
  return std::dynamic_pointer_cast<Metric>(info->make(options));
}

struct Example {
  const char *name, *y_true, *y_pred;
  Value::Dict options = {};
};

// A batch of four samples for each metric.
const std::vector<Example> examples = {
    {"MeanSquaredError", "real 4x2", "real 4x2 ~1"},
    {"RootMeanSquaredError", "real 4x2", "real 4x2 ~1"},
    {"CosineSimilarity", "real 4x2", "real 4x2 ~1"},
    {"PearsonCorrelation", "real 4x3", "real 4x3 ~1"},
    {"BinaryAccuracy", "flags 4x2", "unit 4x2"},
    {"BinaryCrossentropy", "flags 4x2", "unit 4x2"},
    {"Accuracy", "labels3 4x2", "labels3 4x2 ~1"},
    {"CategoricalAccuracy", "one_hot 4x3", "unit 4x3"},
    {"SparseCategoricalAccuracy", "labels3 4 @int32", "unit 4x3"},
    {"CategoricalCrossentropy", "one_hot 4x3", "unit 4x3"},
    {"SparseCategoricalCrossentropy", "labels3 4 @int32", "unit 4x3"},
    {"TopKCategoricalAccuracy", "one_hot 4x3", "unit 4x3", {{"k", 2}}},
    {"SparseTopKCategoricalAccuracy", "labels3 4 @int32", "unit 4x3", {{"k", 2}}},
    {"TruePositives", "flags 4", "unit 4"},
    {"Precision", "flags 4", "unit 4"},
    {"Recall", "flags 4x2", "unit 4x2", {{"class_id", 1}}},
    {"AUC", "flags 4", "unit 4", {{"num_thresholds", 5}}},
    {"AUC", "flags 4x2", "unit 4x2", {{"num_thresholds", 5}, {"multi_label", true}}},
    {"PrecisionAtRecall", "flags 4", "unit 4", {{"recall", 0.5}}},
    {"MeanIoU", "labels3 4 @int32", "labels3 4 ~1 @int32", {{"num_classes", 3}}},
    {"OneHotMeanIoU", "one_hot 4x3", "unit 4x3", {{"num_classes", 3}}},
    {"BinaryIoU", "flags 4", "unit 4"},
    {"F1Score", "one_hot 4x3", "unit 4x3", {{"average", "macro"}}},
    {"R2Score", "real 4x2", "real 4x2 ~1"},
};

}  // namespace

TEST_CASE("predictions that do not fit the targets are refused, and do not count") {
  for (const Example& e : examples) {
    INFO(e.name);
    const auto metric = make(e.name, e.options);
    const Tensor y = pattern(e.y_true), p = pattern(e.y_pred);
    metric->update_state(y, p);
    const std::vector<double> before = metric->result().to_vector<double>();
    const Tensor other = pattern("unit 5x7x3");
    const std::string message = error_of([&] { (*metric)(y, other); });
    CHECK(has(message, y.shape().str()));
    CHECK(has(message, other.shape().str()));
    CHECK(metric->result().to_vector<double>() == before);
  }
}

TEST_CASE("weights that do not fit the samples are refused, and do not count") {
  for (const Example& e : examples) {
    INFO(e.name);
    const auto metric = make(e.name, e.options);
    const Tensor y = pattern(e.y_true), p = pattern(e.y_pred);
    metric->update_state(y, p);
    const std::vector<double> before = metric->result().to_vector<double>();
    CHECK_THROWS_AS((*metric)(y, p, pattern("unit 3")), ShapeError);
    CHECK_THROWS_AS((*metric)(y, p, pattern("unit 5x4x7")), ShapeError);
    CHECK(metric->result().to_vector<double>() == before);
  }
}

TEST_CASE("options of metrics that are misspelt in files are answered with the nearest") {
  const std::vector<std::tuple<const char*, Value::Dict, const char*>> cases = {
      {"AUC", {{"num_threshold", 3}}, "num_thresholds"},
      {"AUC", {{"summation_method", "interpolate"}}, "interpolation"},
      {"AUC", {{"curve", "PRG"}}, "prgain"},
      {"Precision", {{"topk", 3}}, "top_k"},
      {"Recall", {{"threshold", 0.3}}, "thresholds"},
      {"BinaryAccuracy", {{"treshold", 0.3}}, "threshold"},
      {"MeanIoU", {{"num_classes", 3}, {"ignore_clas", 1}}, "ignore_class"},
      {"FBetaScore", {{"averag", "macro"}}, "average"},
      {"FBetaScore", {{"average", "makro"}}, "macro"},
      {"R2Score", {{"class_aggregation", "uniform"}}, "uniform_average"},
      {"TopKCategoricalAccuracy", {{"K", 3}}, "k"},
      {"CategoricalCrossentropy", {{"from_logit", true}}, "from_logits"},
      {"Mean", {{"nam", "x"}}, "name"}};
  for (const auto& [name, options, right] : cases) {
    INFO(name);
    CHECK(has(error_of([&, n = name, o = options] { make(n, o); }), right));
  }
}

TEST_CASE("options of metrics that have no default must be given") {
  CHECK(has(error_of([] { make("MeanIoU"); }), "num_classes"));
  CHECK(has(error_of([] { make("IoU", {{"num_classes", 2}}); }), "target_class_ids"));
  CHECK(has(error_of([] { make("PrecisionAtRecall"); }), "recall"));
  CHECK(has(error_of([] { make("SensitivityAtSpecificity"); }), "specificity"));
}

TEST_CASE("options of metrics out of range are refused with the range") {
  using namespace metrics;
  const double nan = std::nan("");
  CHECK_THROWS_AS(AUC({.num_thresholds = 0}), ValueError);
  CHECK_THROWS_AS(FBetaScore({.beta = -1}), ValueError);
  CHECK_THROWS_AS(FBetaScore({.beta = nan}), ValueError);
  CHECK_THROWS_AS(F1Score({.threshold = 0}), ValueError);
  CHECK_THROWS_AS(F1Score({.threshold = nan}), ValueError);
  CHECK_THROWS_AS(MeanIoU({.num_classes = 0}), ValueError);
  CHECK_THROWS_AS(IoU({.num_classes = 3, .target_class_ids = std::vector<int64_t>{}}), ValueError);
  CHECK_THROWS_AS(IoU({.num_classes = 3, .target_class_ids = std::vector<int64_t>{-1}}),
                  ValueError);
  CHECK_THROWS_AS(R2Score({.num_regressors = -2}), ValueError);
  CHECK_THROWS_AS(RecallAtPrecision({.precision = nan}), ValueError);
  CHECK_THROWS_AS(PrecisionAtRecall({.recall = 0.5, .num_thresholds = -3}), ValueError);
  CHECK_THROWS_AS(TruePositives({.thresholds = std::vector<double>{}}), ValueError);
  CHECK_THROWS_AS(TruePositives({.thresholds = std::vector<double>{0.5, nan}}), ValueError);
}

TEST_CASE("classes that a metric does not have are refused") {
  using namespace metrics;
  const Tensor y = pattern("flags 4x3"), p = pattern("unit 4x3");
  for (const int64_t id : {3, -4}) {
    INFO("class " << id);
    CHECK_THROWS_AS(Precision({.class_id = id})(y, p), ValueError);
    CHECK_THROWS_AS(Recall({.class_id = id})(y, p), ValueError);
    CHECK_THROWS_AS(PrecisionAtRecall({.recall = 0.5, .class_id = id})(y, p), ValueError);
  }
  CHECK_THROWS_AS(Precision({.top_k = 4})(y, p), ValueError);
  CHECK_THROWS_AS(AUC({.multi_label = true, .num_labels = 2})(y, p), ShapeError);
  CHECK_THROWS_AS(AUC({.multi_label = true, .label_weights = std::vector<double>{1, 2}})(y, p),
                  ShapeError);
}

TEST_CASE("empty batches count as nothing") {
  for (const Example& e : examples) {
    INFO(e.name);
    const auto metric = make(e.name, e.options), plain = make(e.name, e.options);
    const Tensor y = pattern(e.y_true), p = pattern(e.y_pred);
    const auto none = [](const Tensor& t) {
      Shape shape = t.shape();
      shape[0] = 0;
      return ops::zeros(shape, t.dtype());
    };
    plain->update_state(y, p);
    metric->update_state(y, p);
    metric->update_state(none(y), none(p));
    CHECK(metric->result().to_vector<double>() == plain->result().to_vector<double>());
    metric->update_state(none(y), none(p), ops::zeros({0}));
    CHECK(metric->result().to_vector<double>() == plain->result().to_vector<double>());
    // First as well.
    metric->reset_state();
    metric->update_state(none(y), none(p));
    metric->update_state(y, p);
    CHECK(test::difference(metric->result(), plain->result()) < 1e-6);
  }
}

TEST_CASE("a metric begins anew after a reset, whatever it saw") {
  for (const Example& e : examples) {
    INFO(e.name);
    const auto metric = make(e.name, e.options), fresh = make(e.name, e.options);
    const Tensor y = pattern(e.y_true), p = pattern(e.y_pred);
    metric->update_state(y, p);
    metric->update_state(y, ops::full_like(p, Tensor(0.25)));
    metric->reset_state();
    metric->update_state(y, p);
    fresh->update_state(y, p);
    REQUIRE(metric->variables().size() == fresh->variables().size());
    for (size_t i = 0; i < metric->variables().size(); ++i) {
      CHECK(test::identical(metric->variables()[i].value(), fresh->variables()[i].value()));
      CHECK(metric->variables()[i].path() == fresh->variables()[i].path());
    }
  }
}

}  // namespace metric_mistakes_test
