// Losses within compiled models: what evaluate and train_on_batch report is the loss by itself,
// with weights, masks, class weights, several outputs and penalties, eagerly and compiled.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <map>

#include "../support/contract.h"
#include "../support/pattern.h"

namespace loss_in_training_test {

using namespace cornu;
using test::pattern;

namespace {

struct Example {
  const char *name, *y_true, *y_pred, *options;
};

// Six samples each.
const std::vector<Example> examples = {
    {"MeanSquaredError", "real 6x3", "real 6x3 ~1", "{}"},
    {"MeanAbsoluteError", "real 6x3", "real 6x3 ~1", "{}"},
    {"MeanAbsolutePercentageError", "positive 6x3", "real 6x3 ~1", "{}"},
    {"MeanSquaredLogarithmicError", "positive 6x3", "positive 6x3 ~1", "{}"},
    {"LogCosh", "real 6x3", "real 6x3 ~1", "{}"},
    {"Huber", "real 6x3", "real 6x3 ~1", R"({"delta": 0.5})"},
    {"Poisson", "unit 6x3", "positive 6x3", "{}"},
    {"KLDivergence", "unit 6x3", "unit 6x3 ~1", "{}"},
    {"CosineSimilarity", "real 6x3", "real 6x3 ~1", "{}"},
    {"Hinge", "flags 6x3", "real 6x3", "{}"},
    {"SquaredHinge", "flags 6x3", "real 6x3", "{}"},
    {"CategoricalHinge", "one_hot 6x3", "real 6x3", "{}"},
    {"BinaryCrossentropy", "flags 6x3", "real 6x3", R"({"from_logits": true})"},
    {"BinaryFocalCrossentropy", "flags 6x3", "unit 6x3", R"({"apply_class_balancing": true})"},
    {"CategoricalCrossentropy", "one_hot 6x3", "unit 6x3", R"({"label_smoothing": 0.2})"},
    {"CategoricalFocalCrossentropy", "one_hot 6x3", "unit 6x3", R"({"gamma": 1.0})"},
    {"SparseCategoricalCrossentropy", "labels3 6 @int32", "unit 6x3", "{}"},
    {"SparseCategoricalCrossentropy", "labels3 6 @int32", "unit 6x3", R"({"ignore_class": 1})"},
    {"CategoricalGeneralizedCrossEntropy", "labels3 6 @int32", "unit 6x3", R"({"q": 0.3})"},
};

std::shared_ptr<Loss> make(const Example& e, const std::string& reduction) {
  const ClassInfo* const info = catalog().find("keras.losses", e.name);
  REQUIRE(info);
  Value::Dict options = parse_json(e.options, "the test").get<Value::Dict>();
  options.emplace_back("reduction", reduction);
  return std::dynamic_pointer_cast<Loss>(info->make(options));
}

std::shared_ptr<Sequential> identity(const std::shared_ptr<Loss>& loss, bool eager = false) {
  auto model = std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({3}), layers::Activation({.activation = "linear"})});
  model->compile({.loss = loss, .run_eagerly = eager});
  return model;
}

Tensor rows(const Tensor& t, int64_t begin, int64_t end) {
  return ops::take(t, ops::arange(begin, end, 1, DType::int32), 0);
}

}  // namespace

TEST_CASE("evaluate reports the mean of the batches' losses, weighted by their samples") {
  for (const Example& e : examples)
    for (const char* reduction : {"sum_over_batch_size", "sum", "mean_with_sample_weight"})
      for (const bool eager : {false, true}) {
        INFO(e.name << " " << e.options << " " << reduction << (eager ? " eager" : ""));
        const auto loss = make(e, reduction);
        const Tensor y = pattern(e.y_true), p = pattern(e.y_pred), w = pattern("unit 6 ~2");
        const auto model = identity(loss, eager);
        EvaluateOptions options{.batch_size = 4, .verbose = Verbose::silent};
        const auto batch = [&](int64_t begin, int64_t end, bool weighted) {
          return (*loss)(rows(y, begin, end), rows(p, begin, end),
                         weighted ? rows(w, begin, end) : Tensor())
              .item();
        };
        CHECK(model->evaluate(p, y, options).at("loss") ==
              Approx((4 * batch(0, 4, false) + 2 * batch(4, 6, false)) / 6).epsilon(1e-4));
        options.sample_weight = w;
        CHECK(model->evaluate(p, y, options).at("loss") ==
              Approx((4 * batch(0, 4, true) + 2 * batch(4, 6, true)) / 6).epsilon(1e-4));
      }
}

TEST_CASE("weights of classes are weights of their samples") {
  const Tensor x = pattern("unit 6x3"), hot = pattern("one_hot 6x3 ~1");
  const Tensor classes = ops::argmax(hot, -1);
  const std::map<int64_t, double> class_weight = {{0, 0.5}, {1, 2.0}, {2, 1.25}};
  std::vector<float> weights;
  for (const int64_t c : classes.to_vector<int64_t>())
    weights.push_back(static_cast<float>(class_weight.at(c)));
  for (const bool sparse : {false, true}) {
    INFO("sparse " << sparse);
    std::shared_ptr<Loss> loss = losses::CategoricalCrossentropy().shared();
    if (sparse) loss = losses::SparseCategoricalCrossentropy().shared();
    Sequential model({Input({3}), layers::Dense({.units = 3, .kernel_initializer = "identity"})});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = loss});
    const Tensor& y = sparse ? classes : hot;
    const History history = model.fit(
        x, y, {.batch_size = 6, .verbose = Verbose::silent, .class_weight = class_weight});
    CHECK(history["loss"][0] == Approx((*loss)(y, x, Tensor(weights)).item()).epsilon(1e-5));
  }
}

TEST_CASE("losses of several outputs are summed with their weights, each with its own samples'") {
  const Input in({3});
  const Tensor first = layers::Activation({.activation = "linear", .name = "first"})(in);
  const Tensor second = layers::Activation({.activation = "relu", .name = "second"})(in);
  Functional model(in, {first, second});
  model.compile({.loss = {"mse", "mae"}, .loss_weights = {0.25, 3.0}});
  const Tensor x = pattern("real 6x3"), a = pattern("real 6x3 ~1"), b = pattern("real 6x3 ~2");
  const Logs logs = model.evaluate(x, Nest{a, b}, {.verbose = Verbose::silent});
  const double mse = losses::MeanSquaredError()(a, x).item();
  const double mae = losses::MeanAbsoluteError()(b, ops::relu(x)).item();
  CHECK(logs.at("loss") == Approx(0.25 * mse + 3 * mae).epsilon(1e-5));
  CHECK(logs.at("first_loss") == Approx(mse).epsilon(1e-5));
  CHECK(logs.at("second_loss") == Approx(mae).epsilon(1e-5));
}

TEST_CASE("penalties and added losses come on top, whatever the reduction") {
  const Tensor x = pattern("real 6x3"), y = pattern("real 6x3 ~1");
  for (const char* reduction : {"sum_over_batch_size", "sum"}) {
    INFO(reduction);
    const losses::MeanSquaredError loss({.reduction = reduction});
    Sequential model({Input({3}),
                      layers::Dense({.units = 3,
                                     .kernel_initializer = "identity",
                                     .kernel_regularizer = regularizers::L2({.l2 = 0.5})}),
                      layers::ActivityRegularization({.l1 = 0.125})});
    model.compile({.loss = loss});
    const double penalty = 0.5 * 3 + 0.125 * ops::sum(ops::abs(x)).item() / 6;
    CHECK(model.evaluate(x, y, {.batch_size = 6, .verbose = Verbose::silent}).at("loss") ==
          Approx(loss(y, x).item() + penalty).epsilon(1e-4));
  }
}

TEST_CASE("training by each loss lowers it, in the same steps eagerly and compiled") {
  for (const Example& e : examples) {
    INFO(e.name << " " << e.options);
    std::vector<Tensor> weights[2];
    for (const bool eager : {false, true}) {
      const std::string activation =
          std::string(e.y_pred).starts_with("real") ? "linear" : "softmax";
      Sequential model({Input({4}), layers::Dense({.units = 3,
                                                   .activation = activation,
                                                   .kernel_initializer =
                                                       initializers::GlorotUniform({.seed = 3})})});
      model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.02}),
                     .loss = make(e, "sum_over_batch_size"),
                     .run_eagerly = eager});
      const History history =
          model.fit(pattern("real 6x4"), pattern(e.y_true),
                    {.batch_size = 3, .epochs = 15, .verbose = Verbose::silent, .shuffle = false});
      CHECK(history["loss"].back() < history["loss"].front());
      weights[eager] = model.get_weights();
    }
    for (size_t i = 0; i < weights[0].size(); ++i)
      CHECK(test::difference(weights[0][i], weights[1][i]) < 1e-3);
  }
}

}  // namespace loss_in_training_test
