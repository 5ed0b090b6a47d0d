// Faults between targets, outputs, losses and metrics, planted in models of several kinds.
#include "support.h"

namespace planted_targets_test {

using namespace cornu;
using namespace cornu::test;

namespace {

CompileOptions with(LossOption loss, MetricOption metrics = {}) {
  return {.optimizer = "adam", .loss = std::move(loss), .metrics = std::move(metrics)};
}

// A class for each of 6 steps of a sequence (n, 6, 4).
struct Tagging {
  Tensor x, classes, rows;
  Tagging() : x(normal({128, 6, 4}, 4)) {
    std::vector<int32_t> y;
    const std::vector<float> values = x.to_vector<float>();
    for (size_t i = 0; i < values.size(); i += 4)
      y.push_back(values[i] > 0.4f ? 2 : values[i] > -0.4f ? 1 : 0);
    classes = Tensor::from(y, {128, 6});
    rows = ops::one_hot(classes, 3);
  }
  static Sequential model(const char* activation) {
    return Sequential({layers::LSTM({.units = 8, .return_sequences = true}),
                       layers::Dense({.units = 3, .activation = activation})});
  }
};

// A regression and a classification of the same input.
Functional two_heads(const char* second = "sigmoid") {
  Input x({8});
  const Tensor hidden = layers::Dense({.units = 16, .activation = "relu"})(x);
  return Functional(
      x, Nest::List{layers::Dense({.units = 1, .name = "price"})(hidden),
                    layers::Dense({.units = 1, .activation = second, .name = "sold"})(hidden)});
}

}  // namespace

TEST_CASE("planted: targets that a loss spreads") {
  const Problem p;
  const Tensor flat = ops::squeeze(p.regression(), -1);
  CHECK(diagnosed(functional_mlp(8, 1, "linear"), for_regression(), p.x, normal({256, 4}, 3)) ==
        Ids{"target_shape"});
  CHECK(diagnosed(mlp(4, "linear"), with("mae"), p.x, p.regression()) == Ids{"target_shape"});
  CHECK(diagnosed(Sequential({layers::LSTM({.units = 8, .return_sequences = true}),
                              layers::Dense({.units = 1})}),
                  for_regression(), ops::reshape(p.x, {256, 4, 2}),
                  p.regression()) == Ids{"target_shape"});
  // A step of one's own that compares (n) with (n, 1).
  class OwnStep : public SubclassedMlp {
   public:
    OwnStep() : SubclassedMlp(1, "linear") {}
    StepLogs train_step(const Batch& batch) override {
      GradientTape tape;
      const Tensor y_pred = (*this)(batch.x).tensor();
      const Tensor loss = ops::mean(ops::square(batch.y.tensor() - y_pred));
      const std::vector<Variable> variables = trainable_variables();
      optimizer()->apply(tape.gradient(loss, variables), variables);
      return {{"loss", loss}};
    }
  };
  OwnStep own, fed;
  CHECK(diagnosed(own, {.optimizer = "adam"}, p.x, flat) == Ids{"target_shape"});
  CHECK(diagnosed(fed, {.optimizer = "adam"}, p.x, p.regression()) == Ids{});
}

TEST_CASE("planted: targets out of reach") {
  const Problem p;
  const Pictures pictures;
  // Prices as they are.
  CHECK(diagnosed(mlp(1, "linear"), for_regression(), p.x,
                  p.regression() * Tensor(8e4) + Tensor(3e5)) == Ids{"target_range"});
  CHECK(diagnosed(functional_mlp(8, 1, "linear"), with("mae"), p.x, p.regression() * Tensor(2e5)) ==
        Ids{"target_range"});
  CHECK(diagnosed(SubclassedMlp(1, "linear"), with(losses::Huber({.delta = 2})), p.x,
                  p.regression() * Tensor(1e4) + Tensor(5e4)) == Ids{"target_range"});
  CHECK(diagnosed(mlp(1, "linear"), with([](const Tensor& y, const Tensor& p) {
                    return ops::mean(ops::square(y - p), -1);
                  }),
                  p.x, p.regression() * Tensor(3e5)) == Ids{"target_range"});
  // Losses of probabilities, and outputs with bounds.
  CHECK(diagnosed(functional_mlp(8, 1, "linear"),
                  with(losses::BinaryCrossentropy({.from_logits = true})), p.x,
                  p.binary() * Tensor(2.0) - Tensor(1.0)) == Ids{"target_range"});
  CHECK(
      diagnosed(
          Sequential(
              {layers::Conv2D(
                   {.filters = 4, .kernel_size = 3, .padding = "same", .activation = "relu"}),
               layers::Conv2D(
                   {.filters = 1, .kernel_size = 3, .padding = "same", .activation = "sigmoid"})}),
          for_binary(), pictures.x(), pictures.x() * Tensor(255.0)) == Ids{"target_range"});
  CHECK(diagnosed(mlp(1, "relu"), for_regression(), p.x, p.regression()) == Ids{"target_range"});
  CHECK(diagnosed(Sequential(
                      {layers::Dense({.units = 1}), layers::Activation({.activation = "sigmoid"})}),
                  with("mae"), p.x, p.regression() * Tensor(5.0)) == Ids{"target_range"});
  CHECK(diagnosed(mlp(1, "softplus"), with("poisson"), p.x, p.regression()) == Ids{"target_range"});
  CHECK(diagnosed(mlp(3, "softmax"), for_one_hot(), p.x, p.one_hot() * Tensor(100.0)) ==
        Ids{"target_range"});
  // Class numbers.
  CHECK(diagnosed(convnet("softmax"), for_classes(), pictures.x(), pictures.y() + Tensor(1)) ==
        Ids{"target_range"});
  CHECK(diagnosed(mlp(3, "linear"),
                  with(losses::SparseCategoricalCrossentropy({.from_logits = true})), p.x,
                  p.classes() - Tensor(1)) == Ids{"target_range"});
  CHECK(diagnosed(functional_mlp(8, 2, "softmax"), for_classes(), p.x, p.classes()) ==
        Ids{"target_range"});
  const Tagging tags;
  CHECK(diagnosed(Tagging::model("softmax"), for_classes(), tags.x, tags.classes + Tensor(1)) ==
        Ids{"target_range"});
}

TEST_CASE("planted: rows for losses of class numbers") {
  const Problem p;
  const Tagging tags;
  CHECK(diagnosed(Tagging::model("softmax"), for_classes(), tags.x, tags.rows) ==
        Ids{"target_one_hot_with_sparse"});
  CHECK(diagnosed(functional_mlp(8, 3, "linear"),
                  with(losses::SparseCategoricalCrossentropy({.from_logits = true})), p.x,
                  ops::cast(p.one_hot(), DType::int32)) == Ids{"target_one_hot_with_sparse"});
  CHECK(diagnosed(SubclassedMlp(3, "softmax"), for_classes(), p.x, p.one_hot()) ==
        Ids{"target_one_hot_with_sparse"});
}

TEST_CASE("planted: class numbers for losses of rows") {
  const Problem p;
  const Tagging tags;
  const Pictures pictures;
  CHECK(diagnosed(Tagging::model("softmax"), for_one_hot(), tags.x, tags.classes) ==
        Ids{"target_sparse_with_categorical"});
  CHECK(diagnosed(convnet("softmax"), for_one_hot(), pictures.x(),
                  ops::expand_dims(pictures.y(), {-1})) == Ids{"target_sparse_with_categorical"});
  CHECK(diagnosed(functional_mlp(8, 3, "linear"),
                  with(losses::CategoricalCrossentropy({.from_logits = true})), p.x,
                  p.classes()) == Ids{"target_sparse_with_categorical"});
  CHECK(diagnosed(SubclassedMlp(3, "softmax"), with("categorical_focal_crossentropy"), p.x,
                  p.classes()) == Ids{"target_sparse_with_categorical"});
  CHECK(diagnosed(mlp(3, "linear"), with("categorical_hinge"), p.x, p.classes()) ==
        Ids{"target_sparse_with_categorical"});
  CHECK(diagnosed(mlp(3, "softmax"), with("kl_divergence"), p.x, p.classes()) ==
        Ids{"target_sparse_with_categorical"});
}

TEST_CASE("planted: a wrong from_logits") {
  const Problem p;
  const Pictures pictures;
  const Tagging tags;
  CHECK(diagnosed(functional_mlp(8, 3, "linear"), for_one_hot(), p.x, p.one_hot()) ==
        Ids{"logits_flag"});
  CHECK(diagnosed(SubclassedMlp(1, "linear"), for_binary(), p.x, p.binary()) == Ids{"logits_flag"});
  CHECK(diagnosed(Tagging::model("linear"), for_classes(), tags.x, tags.classes) ==
        Ids{"logits_flag"});
  CHECK(
      diagnosed(Sequential({layers::Conv2D({.filters = 8, .kernel_size = 3, .activation = "relu"}),
                            layers::Conv2D({.filters = 4, .kernel_size = 3}),
                            layers::GlobalAveragePooling2D()}),
                for_classes(), pictures.x(), pictures.y()) == Ids{"logits_flag"});
  CHECK(diagnosed(mlp(1, "linear"), with("binary_focal_crossentropy"), p.x, p.binary()) ==
        Ids{"logits_flag"});
  CHECK(diagnosed(Sequential(
                      {layers::Dense({.units = 16, .activation = "relu", .dtype = "mixed_float16"}),
                       layers::Dense({.units = 3, .dtype = "mixed_float16"}),
                       layers::Activation({.activation = "linear", .dtype = "float32"})}),
                  for_classes(), p.x, p.classes()) == Ids{"logits_flag"});
  CHECK(diagnosed(SubclassedMlp(1, "sigmoid"),
                  with(losses::BinaryFocalCrossentropy({.from_logits = true})), p.x,
                  p.binary()) == Ids{"logits_flag"});
  CHECK(diagnosed(two_heads("linear"), with({"mse", "binary_crossentropy"}), p.x,
                  Nest::List{p.regression(), p.binary()}) == Ids{"logits_flag"});
  CHECK(diagnosed(two_heads(), with({"mse", losses::BinaryCrossentropy({.from_logits = true})}),
                  p.x, Nest::List{p.regression(), p.binary()}) == Ids{"logits_flag"});
}

TEST_CASE("planted: two softmaxes") {
  const Problem p;
  const Pictures pictures;
  CHECK(diagnosed(convnet("softmax"),
                  with(losses::SparseCategoricalCrossentropy({.from_logits = true})), pictures.x(),
                  pictures.y()) == Ids{"double_softmax"});
  CHECK(diagnosed(functional_mlp(8, 3, "softmax"),
                  with(losses::CategoricalFocalCrossentropy({.from_logits = true})), p.x,
                  p.one_hot()) == Ids{"double_softmax"});
  class Again : public SubclassedMlp {
   public:
    using SubclassedMlp::SubclassedMlp;
    Tensor call(const Tensor& x, const Call& call) override {
      return ops::softmax(SubclassedMlp::call(x, call));
    }
  };
  Again again(3, "softmax");
  CHECK(diagnosed(again, for_classes(), p.x, p.classes()) == Ids{"double_softmax"});
  CHECK(diagnosed(Sequential({layers::Dense({.units = 3, .activation = "softmax"}),
                              layers::Dropout({.rate = 0.2}), layers::Softmax()}),
                  for_one_hot(), p.x, p.one_hot()) == Ids{"double_softmax"});
  CHECK(diagnosed(Sequential({layers::Dense({.units = 1, .activation = "sigmoid"}),
                              layers::Activation({.activation = "sigmoid"})}),
                  for_binary(), p.x, p.binary()) == Ids{"double_softmax"});
  // The policy's cast stands between the two.
  CHECK(diagnosed(Sequential({layers::Dense(
                                  {.units = 3, .activation = "softmax", .dtype = "mixed_bfloat16"}),
                              layers::Activation({.activation = "softmax", .dtype = "float32"})}),
                  for_classes(), p.x, p.classes()) == Ids{"double_softmax"});
}

TEST_CASE("planted: losses for other outputs") {
  const Problem p;
  const Tagging tags;
  const CompileOptions dice = with("dice");
  CHECK(diagnosed(functional_mlp(8, 1, "sigmoid"), for_classes(), p.x, p.binary()) ==
        Ids{"loss_output_mismatch"});
  CHECK(diagnosed(Tagging::model("softmax"), for_binary(), tags.x, tags.rows) ==
        Ids{"loss_output_mismatch"});
  CHECK(diagnosed(SubclassedMlp(1, "softmax"), for_binary(), p.x, p.binary()) ==
        Ids{"loss_output_mismatch"});
  CHECK(diagnosed(mlp(3, "sigmoid"), for_one_hot(), p.x, p.one_hot()) ==
        Ids{"loss_output_mismatch"});
  CHECK(diagnosed(mlp(1, "tanh"), for_binary(), p.x, p.binary()) == Ids{"loss_output_mismatch"});
  CHECK(diagnosed(mlp(3, "relu"), for_classes(), p.x, p.classes()) == Ids{"loss_output_mismatch"});
  CHECK(diagnosed(mlp(3, "softmax"), for_regression(), p.x, p.one_hot()) ==
        Ids{"loss_output_mismatch"});
  CHECK(diagnosed(mlp(1, "sigmoid"), with("hinge"), p.x, p.binary()) ==
        Ids{"loss_output_mismatch"});
  CHECK(diagnosed(mlp(1, "linear"), with("poisson"), p.x, ops::cast(p.classes(), DType::float32)) ==
        Ids{"loss_output_mismatch"});
  CHECK(diagnosed(mlp(1, "linear"), with("cosine_similarity"), p.x, p.regression()) ==
        Ids{"loss_output_mismatch"});
  CHECK(diagnosed(mlp(3, "linear"), dice, p.x, p.one_hot()) == Ids{"loss_output_mismatch"});
  CHECK(diagnosed(mlp(3, "linear"), with("kl_divergence"), p.x, p.one_hot()) ==
        Ids{"loss_output_mismatch"});
}

TEST_CASE("planted: a dropout that takes predictions away") {
  const Problem p;
  CHECK(diagnosed(Sequential({layers::Dense({.units = 16, .activation = "relu"}),
                              layers::Dense({.units = 3, .activation = "softmax"}),
                              layers::Dropout({.rate = 0.5})}),
                  for_classes(), p.x, p.classes()) == Ids{"loss_output_mismatch"});
  Input x({8});
  const Tensor y = layers::Dense({.units = 1})(layers::Dense({.units = 8})(x));
  Functional model(x, layers::GaussianDropout({.rate = 0.3})(y));
  CHECK(diagnosed(model, for_regression(), p.x, p.regression()) == Ids{"loss_output_mismatch"});
}

TEST_CASE("planted: metrics of something else") {
  const Problem p;
  CHECK(diagnosed(functional_mlp(8, 1, "linear"), with("mae", {"accuracy"}), p.x, p.regression()) ==
        Ids{"metric_mismatch"});
  CHECK(diagnosed(SubclassedMlp(3, "softmax"),
                  with("categorical_crossentropy", {metrics::SparseTopKCategoricalAccuracy()}), p.x,
                  p.one_hot()) == Ids{"metric_mismatch"});
  CHECK(diagnosed(mlp(3, "softmax"),
                  with("sparse_categorical_crossentropy", {metrics::BinaryAccuracy()}), p.x,
                  p.classes()) == Ids{"metric_mismatch"});
  CHECK(diagnosed(mlp(1, "linear"),
                  with(losses::BinaryCrossentropy({.from_logits = true}),
                       {metrics::Precision(), metrics::Recall()}),
                  p.x, p.binary()) == Ids{"metric_mismatch"});
  CHECK(diagnosed(mlp(1, "linear"),
                  with(losses::BinaryCrossentropy({.from_logits = true}), {metrics::AUC()}), p.x,
                  p.binary()) == Ids{"metric_mismatch"});
  CHECK(diagnosed(mlp(3, "softmax"), with("sparse_categorical_crossentropy", {"mae"}), p.x,
                  p.classes()) == Ids{"metric_mismatch"});
  CHECK(diagnosed(mlp(3, "softmax"),
                  with("sparse_categorical_crossentropy", {metrics::MeanIoU({.num_classes = 3})}),
                  p.x, p.classes()) == Ids{"metric_mismatch"});
  CHECK(diagnosed(mlp(1, "linear"), with("mse", {metrics::Precision()}), p.x, p.regression()) ==
        Ids{"metric_mismatch"});
  CHECK(diagnosed(mlp(1, "sigmoid"), with("binary_crossentropy", {metrics::CategoricalAccuracy()}),
                  p.x, p.binary()) == Ids{"metric_mismatch"});
  CHECK(diagnosed(mlp(3, "softmax"),
                  with("categorical_crossentropy", {metrics::MeanIoU({.num_classes = 3})}), p.x,
                  p.one_hot()) == Ids{"metric_mismatch"});
  CHECK(diagnosed(
            two_heads(),
            {.optimizer = "adam",
             .loss = {"mse", "binary_crossentropy"},
             .metrics = MetricOption::List{MetricOption({"accuracy"}), MetricOption({"accuracy"})}},
            p.x, Nest::List{p.regression(), p.binary()}) == Ids{"metric_mismatch"});
}

TEST_CASE("planted: an output whose loss is all that counts") {
  const Problem p;
  const Nest y = Nest::List{p.regression(), p.binary()};
  CHECK(diagnosed(two_heads(),
                  {.optimizer = "adam",
                   .loss = LossOption::Dict{{"price", "mse"}, {"sold", "binary_crossentropy"}},
                   .loss_weights = {{{"price", 1e-4}, {"sold", 1.0}}}},
                  p.x, y) == Ids{"loss_weights_dominate"});
  CHECK(diagnosed(two_heads(), {.optimizer = "adam", .loss = {"mse", "binary_crossentropy"}}, p.x,
                  Nest::List{p.regression() * Tensor(100.0), p.binary()}) ==
        Ids{"loss_weights_dominate"});
  CHECK(diagnosed(two_heads(),
                  {.optimizer = "adam",
                   .loss = {"mae", losses::BinaryCrossentropy()},
                   .loss_weights = {1, 500}},
                  p.x, y) == Ids{"loss_weights_dominate"});
}

}  // namespace planted_targets_test
