// Faults of targets, losses, metrics and layers that diagnose names.
#include "support.h"

namespace diagnose_model_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Ids of(Model& model, CompileOptions compile, const Nest& x, const Nest& y,
       DiagnoseOptions options = {}) {
  model.compile(std::move(compile));
  return ids_of(model.diagnose(x, y, options));
}

Ids of(Sequential&& model, CompileOptions compile, const Nest& x, const Nest& y,
       DiagnoseOptions options = {}) {
  return of(static_cast<Model&>(model), std::move(compile), x, y, options);
}

// A perceptron with a loss of its own, which takes the shapes as they are.
class Own : public Model {
 public:
  Own() {
    track("hidden", hidden);
    track("out", out);
  }
  Tensor call(const Tensor& x, const Call&) override { return out(hidden(x)); }
  Tensor compute_loss(const Nest&, const Nest& y, const Nest& y_pred, const Nest&) override {
    return ops::mean(ops::square(y.tensor() - y_pred.tensor()));
  }
  layers::Dense hidden = layers::Dense({.units = 16, .activation = "relu"});
  layers::Dense out = layers::Dense({.units = 1});
};

}  // namespace

TEST_CASE("diagnose names targets that a loss would broadcast") {
  const Problem p;
  const Tensor flat = ops::squeeze(p.regression(), -1);
  Own own;
  CHECK(of(own, {.optimizer = "adam"}, p.x, flat) == Ids{"target_shape"});
  CHECK(of(own, {.optimizer = "adam"}, p.x, p.regression()).empty());
  CHECK(of(mlp(1, "linear"), {.optimizer = "adam", .loss = "mse"}, p.x, normal({256, 3}, 4)) ==
        Ids{"target_shape"});
  // Keras's own losses give them an axis.
  CHECK(of(mlp(1, "linear"), {.optimizer = "adam", .loss = "mse"}, p.x, flat).empty());
}

TEST_CASE("diagnose names targets out of range") {
  const Problem p;
  CHECK(of(mlp(1, "sigmoid"), {.optimizer = "adam", .loss = "binary_crossentropy"}, p.x,
           p.binary() * Tensor(2.0) - Tensor(1.0)) == Ids{"target_range"});
  CHECK(of(mlp(3, "softmax"), {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"}, p.x,
           p.classes() + Tensor(1)) == Ids{"target_range"});
  CHECK(of(mlp(1, "sigmoid"), {.optimizer = "adam", .loss = "mse"}, p.x,
           p.regression() * Tensor(10.0)) == Ids{"target_range"});
  CHECK(of(mlp(1, "tanh"), {.optimizer = "adam", .loss = "mse"}, p.x,
           p.regression() * Tensor(10.0)) == Ids{"target_range"});
}

TEST_CASE("diagnose names class numbers and rows that were mixed up") {
  const Problem p;
  CHECK(of(mlp(3, "softmax"), {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"}, p.x,
           p.one_hot()) == Ids{"target_one_hot_with_sparse"});
  CHECK(of(mlp(3, "softmax"), {.optimizer = "adam", .loss = "categorical_crossentropy"}, p.x,
           p.classes()) == Ids{"target_sparse_with_categorical"});
}

TEST_CASE("diagnose names a wrong from_logits") {
  const Problem p;
  CHECK(of(mlp(3, "linear"), {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"}, p.x,
           p.classes()) == Ids{"logits_flag"});
  CHECK(of(mlp(1, "linear"), {.optimizer = "adam", .loss = "binary_crossentropy"}, p.x,
           p.binary()) == Ids{"logits_flag"});
  CHECK(of(mlp(1, "sigmoid"),
           {.optimizer = "adam", .loss = losses::BinaryCrossentropy({.from_logits = true})}, p.x,
           p.binary()) == Ids{"logits_flag"});
  CHECK(of(mlp(3, "linear"),
           {.optimizer = "adam",
            .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})},
           p.x, p.classes())
            .empty());
}

TEST_CASE("diagnose names two softmaxes") {
  const Problem p;
  CHECK(of(mlp(3, "softmax"),
           {.optimizer = "adam",
            .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})},
           p.x, p.classes()) == Ids{"double_softmax"});
  CHECK(of(Sequential({layers::Dense({.units = 16, .activation = "relu"}),
                       layers::Dense({.units = 3, .activation = "softmax"}), layers::Softmax()}),
           {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"}, p.x,
           p.classes()) == Ids{"double_softmax"});
}

TEST_CASE("diagnose names losses for other outputs") {
  const Problem p;
  CHECK(of(mlp(1, "sigmoid"), {.optimizer = "adam", .loss = "categorical_crossentropy"}, p.x,
           p.binary()) == Ids{"loss_output_mismatch"});
  CHECK(of(mlp(3, "softmax"), {.optimizer = "adam", .loss = "binary_crossentropy"}, p.x,
           p.one_hot()) == Ids{"loss_output_mismatch"});
  CHECK(of(mlp(3, "sigmoid"), {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"}, p.x,
           p.classes()) == Ids{"loss_output_mismatch"});
  CHECK(of(mlp(1, "relu"), {.optimizer = "adam", .loss = "binary_crossentropy"}, p.x, p.binary()) ==
        Ids{"loss_output_mismatch"});
  CHECK(of(mlp(1, "softmax"), {.optimizer = "adam", .loss = "mse"}, p.x, p.binary()) ==
        Ids{"loss_output_mismatch"});
}

TEST_CASE("diagnose names metrics that measure something else") {
  const Problem p;
  CHECK(of(mlp(3, "softmax"),
           {.optimizer = "adam",
            .loss = "sparse_categorical_crossentropy",
            .metrics = {metrics::CategoricalAccuracy()}},
           p.x, p.classes()) == Ids{"metric_mismatch"});
  CHECK(of(mlp(3, "softmax"),
           {.optimizer = "adam",
            .loss = "categorical_crossentropy",
            .metrics = {metrics::SparseCategoricalAccuracy()}},
           p.x, p.one_hot()) == Ids{"metric_mismatch"});
  CHECK(of(mlp(1, "sigmoid"),
           {.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {metrics::Accuracy()}},
           p.x, p.binary()) == Ids{"metric_mismatch"});
  CHECK(of(mlp(1, "linear"), {.optimizer = "adam", .loss = "mse", .metrics = {"accuracy"}}, p.x,
           p.regression()) == Ids{"metric_mismatch"});
  CHECK(
      of(mlp(3, "softmax"),
         {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}},
         p.x, p.classes())
          .empty());
}

TEST_CASE("diagnose names an output whose loss is all that counts") {
  const Problem p;
  Input x({8});
  const Tensor hidden = layers::Dense({.units = 16, .activation = "relu"})(x);
  const Tensor a = layers::Dense({.units = 1, .name = "a"})(hidden),
               b = layers::Dense({.units = 1, .activation = "sigmoid", .name = "b"})(hidden);
  Functional model(x, Nest::List{a, b});
  const Nest y = Nest::List{p.regression(), p.binary()};
  CHECK(of(model,
           {.optimizer = "adam", .loss = {"mse", "binary_crossentropy"}, .loss_weights = {1000, 1}},
           p.x, y) == Ids{"loss_weights_dominate"});
  CHECK(of(model, {.optimizer = "adam", .loss = {"mse", "binary_crossentropy"}}, p.x, y).empty());
}

TEST_CASE("diagnose names masks that end too early") {
  std::mt19937 random(1);
  std::vector<int32_t> ids;
  std::vector<float> y;
  for (int i = 0; i < 128; ++i) {
    const int length = 3 + static_cast<int>(random() % 8);
    int sum = 0;
    for (int t = 0; t < 12; ++t) {
      ids.push_back(t < length ? 1 + static_cast<int>(random() % 9) : 0);
      sum += ids.back() > 5 ? 1 : ids.back() > 0 ? -1 : 0;
    }
    y.push_back(sum > 0 ? 1.f : 0.f);
  }
  const Tensor x = Tensor::from(ids, {128, 12}), labels = Tensor::from(y, {128, 1});
  const CompileOptions compile{.optimizer = "adam", .loss = "binary_crossentropy"};
  const auto embedding = [] {
    return layers::Embedding({.input_dim = 10, .output_dim = 8, .mask_zero = true});
  };
  const layers::Dense head({.units = 1, .activation = "sigmoid"});
  CHECK(of(Sequential({embedding(), layers::Conv1D({.filters = 8, .kernel_size = 3}),
                       layers::LSTM({.units = 8}), head}),
           compile, x, labels) == Ids{"mask_dropped"});
  const layers::Dense other({.units = 1, .activation = "sigmoid"});
  CHECK(
      of(Sequential({embedding(), layers::LSTM({.units = 8}), other}), compile, x, labels).empty());
}

TEST_CASE("diagnose names normalizations that are frozen too early") {
  const Problem p;
  layers::BatchNormalization norm({.trainable = false});
  CHECK(of(Sequential({layers::Dense({.units = 16, .activation = "relu"}), norm,
                       layers::Dense({.units = 1})}),
           {.optimizer = "adam", .loss = "mse"}, p.x,
           p.regression()) == Ids{"frozen_normalization"});
}

TEST_CASE("diagnose names layers that were left frozen") {
  const Problem p;
  const CompileOptions compile{.optimizer = "adam", .loss = "mse"};
  Sequential all = mlp(1, "linear");
  all.set_trainable(false);
  CHECK(of(all, compile, p.x, p.regression()) == Ids{"forgotten_trainable"});
  for (int frozen : {0, 1}) {
    Sequential model = mlp(1, "linear");
    model.get_layer(frozen)->set_trainable(false);
    CHECK(of(model, compile, p.x, p.regression()) == Ids{"forgotten_trainable"});
  }
}

TEST_CASE("diagnose names batch normalization of one sample") {
  const auto model = [] {
    return Sequential({layers::Dense({.units = 16}), layers::BatchNormalization(),
                       layers::Activation({.activation = "relu"}), layers::Dense({.units = 1})});
  };
  const CompileOptions compile{.optimizer = "adam", .loss = "mse"};
  const Problem p, odd(257);
  CHECK(of(model(), compile, p.x, p.regression(), {.batch_size = 1}) == Ids{"batch_norm_of_one"});
  CHECK(of(model(), compile, odd.x, odd.regression()) == Ids{"batch_norm_of_one"});
  CHECK(of(model(), compile, p.x, p.regression()).empty());
}

TEST_CASE("diagnose names units that are dead") {
  const Problem p;
  const layers::Dense dead({.units = 16,
                            .activation = "relu",
                            .bias_initializer = initializers::Constant({.value = -50})});
  CHECK(of(Sequential({dead, layers::Dense({.units = 1})}), {.optimizer = "adam", .loss = "mse"},
           p.x, p.regression()) == Ids{"dead_units"});
}

TEST_CASE("diagnose works before compile") {
  const Problem p;
  Sequential model = mlp(1, "linear");
  CHECK(ids_of(model.diagnose(p.x)).empty());
  CHECK(ids_of(model.diagnose(p.x, p.regression())).empty());
  CHECK(ids_of(model.diagnose(p.x * Tensor(1000.0))) == Ids{"inputs_unscaled"});
  CHECK(ids_of(model.diagnose(p.x, ops::ones({256, 1}))) == Ids{"labels_constant"});
}

}  // namespace diagnose_model_test
