// Functions as metrics: a lambda in compile, a MeanMetricWrapper, and a registered name are means
// over samples in the same way, with weights and masks.
#include <cornu/cornu.h>

#include <cmath>

#include "../support/contract.h"
#include "../support/pattern.h"

namespace function_metric_test {

using namespace cornu;
using test::pattern;

namespace {

Tensor gaps(const Tensor& y_true, const Tensor& y_pred) { return ops::abs(y_true - y_pred); }

struct Batch {
  Tensor y_true, y_pred, weight = {};
};

// The mean as Keras defines it, number by number: of each sample's values the mean, weighted by the
// sample's weight, or of each value by its own.
double by_hand(const std::vector<Batch>& batches) {
  double total = 0, count = 0;
  for (const Batch& b : batches) {
    const auto values = gaps(b.y_true, b.y_pred).to_vector<double>();
    const auto samples = static_cast<size_t>(b.y_true.shape(0));
    const size_t width = values.size() / samples;
    std::vector<double> weights(samples, 1.0);
    if (b.weight) weights = b.weight.to_vector<double>();
    const size_t weights_each = weights.size() / samples;
    for (size_t i = 0; i < samples; ++i) {
      double value = 0, weight = 0;
      for (size_t j = 0; j < width; ++j) {
        const double w = weights[i * weights_each + (weights_each == width ? j : 0)];
        value += w * values[i * width + j] / static_cast<double>(width);
        weight += w / static_cast<double>(width);
      }
      total += value;
      count += weight;
    }
  }
  return total / count;
}

void check(const std::vector<Batch>& batches) {
  FunctionMetric lambda(gaps);
  metrics::MeanMetricWrapper wrapper({.fn = gaps});
  for (const Batch& b : batches) {
    lambda.update_state(b.y_true, b.y_pred, b.weight);
    wrapper->update_state(b.y_true, b.y_pred, b.weight);
  }
  const double wanted = by_hand(batches);
  CHECK(lambda.result().item() == Approx(wanted).epsilon(1e-5));
  CHECK(wrapper->result().item() == Approx(wanted).epsilon(1e-5));
}

}  // namespace

TEST_CASE("weights of samples count for all of a sample's values") {
  check({{pattern("real 3x2"), pattern("real 3x2 ~1"), pattern("unit 3")}});
  // As many samples as values: which axis is which must not be guessed.
  check({{pattern("real 3x3"), pattern("real 3x3 ~1"), pattern("unit 3")}});
  check({{pattern("real 3x2"), pattern("real 3x2 ~1"), pattern("unit 3x2")}});
  check({{pattern("real 3x2x2"), pattern("real 3x2x2 ~1"), pattern("unit 3")}});
}

TEST_CASE("each sample counts once, however many values it has") {
  check({{pattern("real 3x2"), pattern("real 3x2 ~1")},
         {pattern("real 3x7"), pattern("real 3x7 ~2")}});
  check({{pattern("real 2x2"), pattern("real 2x2 ~1"), pattern("unit 2")},
         {pattern("real 3x4"), pattern("real 3x4 ~2")}});
}

TEST_CASE("a mask of the predictions leaves values out of a function's mean") {
  const Tensor y = pattern("real 2x3"), p = pattern("real 2x3 ~1");
  const Tensor mask = Tensor::from({1.0f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f}, {2, 3});
  const Tensor masked = p.with_mask(ops::cast(mask, DType::boolean));
  FunctionMetric lambda(gaps);
  metrics::MeanMetricWrapper wrapper({.fn = gaps});
  lambda.update_state(y, masked, {});
  wrapper->update_state(y, masked);
  const double wanted = by_hand({{y, p, mask}});
  CHECK(lambda.result().item() == Approx(wanted).epsilon(1e-5));
  CHECK(wrapper->result().item() == Approx(wanted).epsilon(1e-5));
}

TEST_CASE(
    "a RootMeanSquaredError is the root of the MeanSquaredError, also with masks and weights") {
  const Tensor y = pattern("unit 3x4x2"), p = pattern("unit 3x4x2 ~2");
  const Tensor masked = p.with_mask(ops::cast(pattern("flags 3x4"), DType::boolean));
  metrics::RootMeanSquaredError root;
  metrics::MeanSquaredError square;
  for (const Tensor& weight : {Tensor(), pattern("unit 3x4"), pattern("unit 3x1")}) {
    root->update_state(y, masked, weight);
    square->update_state(y, masked, weight);
    CHECK(root->result().item() == Approx(std::sqrt(square->result().item())).epsilon(1e-5));
  }
}

TEST_CASE("metrics of losses read a last axis of size 1 as their losses do") {
  const Tensor flat = pattern("unit 4"), column = pattern("unit 4x1 ~1");
  for (const char* name :
       {"KLDivergence", "Poisson", "Hinge", "SquaredHinge", "CategoricalHinge"}) {
    INFO(name);
    const auto metric = std::dynamic_pointer_cast<Metric>(make_by_name("keras.metrics", name));
    const auto loss = std::dynamic_pointer_cast<Loss>(make_by_name("keras.losses", name));
    CHECK((*metric)(flat, column).item() == Approx((*loss)(flat, column).item()).epsilon(1e-5));
    metric->reset_state();
    CHECK((*metric)(column, flat).item() == Approx((*loss)(column, flat).item()).epsilon(1e-5));
  }
}

TEST_CASE("a function in compile gets the sample weights as a weighted metric") {
  const Tensor x = pattern("real 6x2"), y = pattern("real 6x2 ~1"), w = pattern("unit 6");
  Sequential model({Input({2}), layers::Activation({.activation = "linear"})});
  model.compile({.loss = "mse", .weighted_metrics = {gaps}});
  const Logs logs =
      model.evaluate(x, y, {.batch_size = 4, .verbose = Verbose::silent, .sample_weight = w});
  double found = -1;
  for (const auto& [name, value] : logs)
    if (name != "loss") found = value;
  CHECK(found == Approx(by_hand({{y, x, w}})).epsilon(1e-5));
}

TEST_CASE("weights that fit no axis of a function's values are refused") {
  FunctionMetric lambda(gaps);
  CHECK_THROWS_AS(lambda.update_state(pattern("real 3x2"), pattern("real 3x2"), pattern("unit 2")),
                  ShapeError);
  CHECK(lambda.result().item() == 0);
}

}  // namespace function_metric_test
