// Metrics within compiled models: whole epochs by fit and evaluate are as the metric by itself over
// the same batches, with the weights and masks that the model hands on, in all precisions.
#include <cornu/cornu.h>

#include <cmath>

#include "../support/contract.h"
#include "../support/pattern.h"

namespace metric_in_training_test {

using namespace cornu;
using test::pattern;

namespace {

// Hands its input on, with a mask where the last axis is not all zero.
std::shared_ptr<Sequential> masked_identity(const Shape& shape) {
  return std::make_shared<Sequential>(std::vector<AnyLayer>{Input(shape), layers::Masking()});
}

const EvaluateOptions quiet{.batch_size = 3, .verbose = Verbose::silent};

struct Example {
  const char* name;
  Value::Dict options;
};

std::shared_ptr<Metric> make(const Example& e) {
  const ClassInfo* const info = catalog().find("keras.metrics", e.name);
  REQUIRE(info);
  return std::dynamic_pointer_cast<Metric>(info->make(e.options));
}

}  // namespace

TEST_CASE("evaluate counts the last, shorter batch by its samples") {
  const std::vector<Example> examples = {{"MeanSquaredError", {}},
                                         {"RootMeanSquaredError", {}},
                                         {"BinaryAccuracy", {}},
                                         {"CosineSimilarity", {}},
                                         {"AUC", {{"num_thresholds", 7}}},
                                         {"Precision", {{"thresholds", 0.3}}},
                                         {"F1Score", {{"average", "macro"}, {"threshold", 0.4}}},
                                         {"R2Score", {}}};
  const Tensor x = pattern("unit 8x2"), y = pattern("flags 8x2 ~1");
  for (const Example& e : examples) {
    INFO(e.name);
    const auto model = masked_identity({2});
    const auto inside = make(e), alone = make(e);
    model->compile({.loss = "mse", .metrics = {inside}});
    const Logs logs = model->evaluate(x, y, quiet);
    alone->update_state(y, x);
    CHECK(logs.at(inside->name()) == Approx(alone->result().item()).epsilon(1e-5));
  }
}

TEST_CASE("weighted metrics get the sample weights, the others do not") {
  const Tensor x = pattern("unit 8x2"), y = pattern("flags 8x2 ~1"), w = pattern("positive 8");
  const auto model = masked_identity({2});
  metrics::MeanSquaredError plain, weighted({.name = "weighted"});
  model->compile({.loss = "mse", .metrics = {plain}, .weighted_metrics = {weighted}});
  EvaluateOptions options = quiet;
  options.sample_weight = w;
  const Logs logs = model->evaluate(x, y, options);
  metrics::MeanSquaredError a, b;
  a->update_state(y, x);
  b->update_state(y, x, w);
  CHECK(logs.at("mean_squared_error") == Approx(a->result().item()).epsilon(1e-5));
  CHECK(logs.at("weighted") == Approx(b->result().item()).epsilon(1e-5));
}

TEST_CASE("masked steps do not count in metrics or losses") {
  // Steps 2 and 3 of the second sample are empty.
  const Tensor x =
      Tensor::from({1.f, 2.f, 3.f, 0.5f, 1.f, 1.f, 2.f, 1.f, 0.f, 0.f, 0.f, 0.f}, {2, 3, 2});
  const Tensor y = pattern("real 2x3x2");
  const auto model = masked_identity({3, 2});
  metrics::MeanAbsoluteError inside;
  model->compile({.loss = "mse", .weighted_metrics = {inside}});
  const Logs logs = model->evaluate(x, y, quiet);
  const auto targets = y.to_vector<double>(), values = x.to_vector<double>();
  double absolute = 0, squared = 0;
  for (size_t i = 0; i < 8; ++i) {
    absolute += std::abs(targets[i] - values[i]) / 8;
    squared += (targets[i] - values[i]) * (targets[i] - values[i]) / 8;
  }
  CHECK(logs.at("loss") == Approx(squared).epsilon(1e-5));
  CHECK(logs.at("mean_absolute_error") == Approx(absolute).epsilon(1e-5));
}

TEST_CASE("metrics of models in half precision keep their state in float32") {
  for (const char* policy : {"mixed_float16", "mixed_bfloat16", "float16", "bfloat16"}) {
    INFO(policy);
    const PolicyScope scope(policy);
    Sequential model({Input({4}), layers::Dense({.units = 3,
                                                 .activation = "softmax",
                                                 .kernel_initializer =
                                                     initializers::GlorotUniform({.seed = 1})})});
    const metrics::AUC area({.num_thresholds = 9});
    const metrics::CategoricalAccuracy accuracy;
    model.compile({.optimizer = "sgd",
                   .loss = "categorical_crossentropy",
                   .metrics = {accuracy, area, metrics::F1Score({.average = "macro"})}});
    const Tensor x = pattern("real 6x4"), y = pattern("one_hot 6x3");
    model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = Verbose::silent});
    for (const Variable& v : area->variables()) CHECK(v.dtype() == DType::float32);
    for (const Variable& v : accuracy->variables()) CHECK(v.dtype() == DType::float32);
    const Logs logs = model.evaluate(x, y, quiet);
    const Tensor p = model.predict(x, {.verbose = Verbose::silent}).tensor();
    metrics::AUC alone({.num_thresholds = 9});
    alone->update_state(y, p);
    CHECK(logs.at(area->name()) == Approx(alone->result().item()).epsilon(2e-2));
    CHECK(std::isfinite(logs.at("loss")));
  }
}

TEST_CASE("each epoch's figures are of that epoch alone") {
  const auto model = masked_identity({2});
  const metrics::MeanSquaredError inside;
  model->compile({.optimizer = "sgd", .loss = "mse", .metrics = {inside}});
  const Tensor x = pattern("unit 6x2"), y = pattern("flags 6x2 ~1");
  const History history =
      model->fit(x, y, {.batch_size = 4, .epochs = 3, .verbose = Verbose::silent});
  const std::vector<double> figures = history["mean_squared_error"];
  REQUIRE(figures.size() == 3);
  CHECK(figures[1] == Approx(figures[0]).epsilon(1e-6));
  CHECK(figures[2] == Approx(figures[0]).epsilon(1e-6));
}

TEST_CASE("'accuracy' is the accuracy that fits the loss and the shapes") {
  const Tensor x = pattern("unit 6x3");
  const auto figure = [&](const char* loss, const Tensor& inputs, const Tensor& y) {
    const auto model = masked_identity({inputs.shape(1)});
    model->compile({.loss = loss, .metrics = {"accuracy"}});
    return model->evaluate(inputs, y, quiet).at("accuracy");
  };
  const Tensor hot = pattern("one_hot 6x3 ~1"), classes = ops::argmax(hot, -1);
  metrics::CategoricalAccuracy categorical;
  categorical->update_state(hot, x);
  CHECK(figure("categorical_crossentropy", x, hot) == Approx(categorical->result().item()));
  CHECK(figure("sparse_categorical_crossentropy", x, classes) ==
        Approx(categorical->result().item()));
  const Tensor one = pattern("unit 6x1"), yes = pattern("flags 6x1 ~1");
  metrics::BinaryAccuracy binary;
  binary->update_state(yes, one);
  CHECK(figure("binary_crossentropy", one, yes) == Approx(binary->result().item()));
}

}  // namespace metric_in_training_test
