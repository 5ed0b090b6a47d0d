// The pieces of code in docs/diagnose.md about models: the wrong ones give their id, the right ones
// nothing. diagnose_docs_test.cpp compares them with the page.
#include "documented.h"

namespace documented_models_test {

using namespace cornu;
using namespace cornu::test;

namespace {

struct WrongLoss : public Shown<SubclassedMlp> {
  using Shown::Shown;
  Tensor compute_loss(const Nest&, const Nest& y, const Nest& y_pred, const Nest&) override {
    // begin target_shape wrong
    // in compute_loss of a model of yours; y is (n), y_pred (n, 1)
    return ops::mean(ops::square(y.tensor() - y_pred.tensor()));
    // end
  }
};

struct RightLoss : public Shown<SubclassedMlp> {
  using Shown::Shown;
  Tensor compute_loss(const Nest&, const Nest& y, const Nest& y_pred, const Nest&) override {
    // begin target_shape right
    return ops::mean(ops::square(ops::expand_dims(y.tensor(), {-1}) - y_pred.tensor()));
    // end
  }
};

struct Pieces : Page {
  void target_shape_wrong() {
    WrongLoss net(1, "linear");
    net.compile({.optimizer = "adam"});
    net.fit(x, ops::squeeze(y, -1));
  }
  void target_shape_right() {
    RightLoss net(1, "linear");
    net.compile({.optimizer = "adam"});
    net.fit(x, ops::squeeze(y, -1));
  }
  void target_range_wrong() {
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    classifier.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    // begin target_range wrong
    classifier.fit(x, labels + Tensor(1));  // three classes: 1, 2 and 3
    // end
  }
  void target_range_right() {
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    classifier.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    // begin target_range right
    classifier.fit(x, labels);  // 0, 1 and 2
    // end
  }
  void target_one_hot_with_sparse_wrong() {
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    // begin target_one_hot_with_sparse wrong
    classifier.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    classifier.fit(x, ops::one_hot(labels, 3));
    // end
  }
  void target_one_hot_with_sparse_right() {
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    // begin target_one_hot_with_sparse right
    classifier.compile({.optimizer = "adam", .loss = "categorical_crossentropy"});
    classifier.fit(x, ops::one_hot(labels, 3));
    // end
  }
  void target_sparse_with_categorical_wrong() {
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    // begin target_sparse_with_categorical wrong
    classifier.compile({.optimizer = "adam", .loss = "categorical_crossentropy"});
    classifier.fit(x, labels);  // (n)
    // end
  }
  void target_sparse_with_categorical_right() {
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    // begin target_sparse_with_categorical right
    classifier.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    classifier.fit(x, labels);
    // end
  }
  void logits_flag_wrong() {
    // begin logits_flag wrong
    Sequential classifier({layers::Dense({.units = 3})});
    classifier.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    classifier.fit(x, labels);
    // end
  }
  void logits_flag_right() {
    // begin logits_flag right
    Sequential classifier({layers::Dense({.units = 3})});
    classifier.compile({.optimizer = "adam",
                        .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
    classifier.fit(x, labels);
    // end
  }
  void double_softmax_wrong() {
    // begin double_softmax wrong
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    classifier.compile({.optimizer = "adam",
                        .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
    classifier.fit(x, labels);
    // end
  }
  void double_softmax_right() {
    // begin double_softmax right
    Sequential classifier({layers::Dense({.units = 3, .activation = "softmax"})});
    classifier.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
    classifier.fit(x, labels);
    // end
  }
  void loss_output_mismatch_wrong() {
    // begin loss_output_mismatch wrong
    Sequential classifier({layers::Dense({.units = 1, .activation = "sigmoid"})});
    classifier.compile({.optimizer = "adam", .loss = "categorical_crossentropy"});
    classifier.fit(x, is_high);
    // end
  }
  void loss_output_mismatch_right() {
    // begin loss_output_mismatch right
    Sequential classifier({layers::Dense({.units = 1, .activation = "sigmoid"})});
    classifier.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
    classifier.fit(x, is_high);
    // end
  }
  void metric_mismatch_wrong() {
    // begin metric_mismatch wrong
    model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"accuracy"}});
    model.fit(x, y);
    // end
  }
  void metric_mismatch_right() {
    // begin metric_mismatch right
    model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
    model.fit(x, y);
    // end
  }
  void loss_weights_dominate_wrong() {
    Input in({8});
    Functional two(in,
                   Nest::List{layers::Dense({.units = 1})(in), layers::Dense({.units = 1})(in)});
    const Tensor y2 = y * Tensor(0.5);
    // begin loss_weights_dominate wrong
    two.compile({.optimizer = "adam", .loss = {"mse", "mse"}, .loss_weights = {1000, 1}});
    two.fit(x, Nest::List{y, y2});
    // end
  }
  void loss_weights_dominate_right() {
    Input in({8});
    Functional two(in,
                   Nest::List{layers::Dense({.units = 1})(in), layers::Dense({.units = 1})(in)});
    const Tensor y2 = y * Tensor(0.5);
    // begin loss_weights_dominate right
    two.compile({.optimizer = "adam", .loss = {"mse", "mse"}});
    two.fit(x, Nest::List{y, y2});
    // end
  }
  void mask_dropped_wrong() {
    const Sentences sentences;
    const Tensor words = sentences.x(), mood = sentences.y();
    // begin mask_dropped wrong
    Sequential reader({layers::Embedding({.input_dim = 10, .output_dim = 8, .mask_zero = true}),
                       layers::Conv1D({.filters = 8, .kernel_size = 3}), layers::LSTM({.units = 8}),
                       layers::Dense({.units = 1, .activation = "sigmoid"})});
    reader.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
    reader.fit(words, mood);
    // end
  }
  void mask_dropped_right() {
    const Sentences sentences;
    const Tensor words = sentences.x(), mood = sentences.y();
    // begin mask_dropped right
    Sequential reader({layers::Embedding({.input_dim = 10, .output_dim = 8, .mask_zero = true}),
                       layers::LSTM({.units = 8}),
                       layers::Dense({.units = 1, .activation = "sigmoid"})});
    reader.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
    reader.fit(words, mood);
    // end
  }
  void frozen_normalization_wrong() {
    // begin frozen_normalization wrong
    Sequential net({layers::Dense({.units = 16}),
                    layers::BatchNormalization({.trainable = false}),  // never trained
                    layers::Dense({.units = 1})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void frozen_normalization_right() {
    // begin frozen_normalization right
    Sequential net(
        {layers::Dense({.units = 16}), layers::BatchNormalization(), layers::Dense({.units = 1})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void forgotten_trainable_wrong() {
    // begin forgotten_trainable wrong
    layers::Dense base({.units = 16, .activation = "relu"});
    base->set_trainable(false);  // before its weights were loaded
    Sequential net({base, layers::Dense({.units = 1})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void forgotten_trainable_right() {
    // begin forgotten_trainable right
    layers::Dense base({.units = 16, .activation = "relu"});
    Sequential net({base, layers::Dense({.units = 1})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void batch_norm_of_one_wrong() {
    Sequential net(
        {layers::Dense({.units = 16}), layers::BatchNormalization(), layers::Dense({.units = 1})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    // begin batch_norm_of_one wrong
    net.fit(x, y, {.batch_size = 85});  // of 256 samples: the last batch has one
    // end
  }
  void batch_norm_of_one_right() {
    Sequential net(
        {layers::Dense({.units = 16}), layers::BatchNormalization(), layers::Dense({.units = 1})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    // begin batch_norm_of_one right
    net.fit(x, y, {.batch_size = 64});
    // end
  }
  void dead_units_wrong() {
    // begin dead_units wrong
    Sequential net({layers::Dense({.units = 16,
                                   .activation = "relu",
                                   .bias_initializer = initializers::Constant({.value = -50})}),
                    layers::Dense({.units = 1})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void dead_units_right() {
    // begin dead_units right
    Sequential net(
        {layers::Dense({.units = 16, .activation = "relu", .kernel_initializer = "he_normal"}),
         layers::Dense({.units = 1})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void half_overflow_wrong() {
    const Tensor large = x * Tensor(2e4);
    // begin half_overflow wrong
    Sequential net({layers::Dense({.units = 512, .dtype = "mixed_float16"}),
                    layers::Dense({.units = 1, .dtype = "float32"})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(large, y);
    // end
  }
  void half_overflow_right() {
    const Tensor large = x * Tensor(2e4);
    // begin half_overflow right
    Sequential net({layers::Normalization({.mean = {0.0}, .variance = {4e8}}),
                    layers::Dense({.units = 512, .dtype = "mixed_bfloat16"}),
                    layers::Dense({.units = 1, .dtype = "float32"})});
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(large, y);
    // end
  }
  void no_gradient_wrong() {
    Input in({8});
    const Tensor hidden = layers::Dense({.units = 16, .activation = "relu"})(in);
    // begin no_gradient wrong
    Functional net(in, layers::Dense({.units = 1})(ops::round(hidden)));
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void no_gradient_right() {
    Input in({8});
    const Tensor hidden = layers::Dense({.units = 16, .activation = "relu"})(in);
    // begin no_gradient right
    Functional net(in, layers::Dense({.units = 1})(hidden));
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void gradient_vanishes_wrong() {
    // begin gradient_vanishes wrong
    Sequential net;
    for (int i = 0; i < 16; ++i) net.add(layers::Dense({.units = 32, .activation = "sigmoid"}));
    net.add(layers::Dense({.units = 1}));
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void gradient_vanishes_right() {
    // begin gradient_vanishes right
    Sequential net;
    for (int i = 0; i < 16; ++i)
      net.add(
          layers::Dense({.units = 32, .activation = "relu", .kernel_initializer = "he_normal"}));
    net.add(layers::Dense({.units = 1}));
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void gradient_explodes_wrong() {
    // begin gradient_explodes wrong
    Sequential net;
    for (int i = 0; i < 6; ++i)
      net.add(layers::Dense({.units = 64,
                             .activation = "relu",
                             .kernel_initializer = initializers::RandomNormal({.stddev = 2})}));
    net.add(layers::Dense({.units = 1}));
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void gradient_explodes_right() {
    // begin gradient_explodes right
    Sequential net;
    for (int i = 0; i < 6; ++i)
      net.add(
          layers::Dense({.units = 64, .activation = "relu", .kernel_initializer = "he_normal"}));
    net.add(layers::Dense({.units = 1}));
    net.compile({.optimizer = "adam", .loss = "mse"});
    net.fit(x, y);
    // end
  }
  void learning_rate_high_wrong() {
    // begin learning_rate_high wrong
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 10.0}), .loss = "mse"});
    model.fit(x, y);
    // end
  }
  void learning_rate_high_right() {
    // begin learning_rate_high right
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse"});
    model.fit(x, y);
    // end
  }
  void learning_rate_low_wrong() {
    // begin learning_rate_low wrong
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-8}), .loss = "mse"});
    model.fit(x, y);
    // end
  }
  void learning_rate_low_right() {
    // begin learning_rate_low right
    model.compile({.optimizer = "adam", .loss = "mse"});
    model.fit(x, y);
    // end
  }
};

}  // namespace

TEST_CASE("the page's pieces about models give what they are shown for") {
  check_pieces("target_shape", &Pieces::target_shape_wrong, &Pieces::target_shape_right);
  check_pieces("target_range", &Pieces::target_range_wrong, &Pieces::target_range_right);
  check_pieces("target_one_hot_with_sparse", &Pieces::target_one_hot_with_sparse_wrong,
               &Pieces::target_one_hot_with_sparse_right);
  check_pieces("target_sparse_with_categorical", &Pieces::target_sparse_with_categorical_wrong,
               &Pieces::target_sparse_with_categorical_right);
  check_pieces("logits_flag", &Pieces::logits_flag_wrong, &Pieces::logits_flag_right);
  check_pieces("double_softmax", &Pieces::double_softmax_wrong, &Pieces::double_softmax_right);
  check_pieces("loss_output_mismatch", &Pieces::loss_output_mismatch_wrong,
               &Pieces::loss_output_mismatch_right);
  check_pieces("metric_mismatch", &Pieces::metric_mismatch_wrong, &Pieces::metric_mismatch_right);
  check_pieces("loss_weights_dominate", &Pieces::loss_weights_dominate_wrong,
               &Pieces::loss_weights_dominate_right);
  check_pieces("mask_dropped", &Pieces::mask_dropped_wrong, &Pieces::mask_dropped_right);
  check_pieces("frozen_normalization", &Pieces::frozen_normalization_wrong,
               &Pieces::frozen_normalization_right);
  check_pieces("forgotten_trainable", &Pieces::forgotten_trainable_wrong,
               &Pieces::forgotten_trainable_right);
  check_pieces("batch_norm_of_one", &Pieces::batch_norm_of_one_wrong,
               &Pieces::batch_norm_of_one_right);
  check_pieces("dead_units", &Pieces::dead_units_wrong, &Pieces::dead_units_right);
  check_pieces("half_overflow", &Pieces::half_overflow_wrong, &Pieces::half_overflow_right);
  check_pieces("no_gradient", &Pieces::no_gradient_wrong, &Pieces::no_gradient_right);
  check_pieces("gradient_vanishes", &Pieces::gradient_vanishes_wrong,
               &Pieces::gradient_vanishes_right);
  check_pieces("gradient_explodes", &Pieces::gradient_explodes_wrong,
               &Pieces::gradient_explodes_right);
  check_pieces("learning_rate_high", &Pieces::learning_rate_high_wrong,
               &Pieces::learning_rate_high_right);
  check_pieces("learning_rate_low", &Pieces::learning_rate_low_wrong,
               &Pieces::learning_rate_low_right);
}

}  // namespace documented_models_test
