// Faults that gradients and trial steps show, planted in models of several kinds.
#include "support.h"

namespace planted_training_test {

using namespace cornu;
using namespace cornu::test;

namespace {

std::shared_ptr<Sequential> deep(int count, const char* activation, Choice<Initializer> initializer,
                                 int64_t units = 24) {
  auto model = std::make_shared<Sequential>();
  for (int i = 0; i < count; ++i)
    model->add(layers::Dense(
        {.units = units, .activation = activation, .kernel_initializer = initializer}));
  model->add(layers::Dense({.units = 1}));
  return model;
}

template <class Function>
class WithHidden : public SubclassedMlp {
 public:
  explicit WithHidden(Function f) : SubclassedMlp(1, "linear"), function(std::move(f)) {}
  Tensor call(const Tensor& x, const Call&) override { return out(function(hidden(x))); }
  Function function;
};

CompileOptions rate_of(Choice<Optimizer> optimizer, LossOption loss = "mse") {
  return {.optimizer = std::move(optimizer), .loss = std::move(loss)};
}

}  // namespace

TEST_CASE("planted: losses without a derivative") {
  const Problem p;
  WithHidden stopped([](const Tensor& h) { return ops::stop_gradient(h); });
  CHECK(diagnosed(stopped, for_regression(), p.x, p.regression()) == Ids{"no_gradient"});
  WithHidden signs([](const Tensor& h) { return ops::sign(h - Tensor(0.5)); });
  CHECK(diagnosed(signs, for_regression(), p.x, p.regression()) == Ids{"no_gradient"});
  WithHidden numbers([](const Tensor& h) {
    return ops::cast(ops::cast(h * Tensor(8.0), DType::int32), DType::float32);
  });
  CHECK(diagnosed(numbers, for_regression(), p.x, p.regression()) == Ids{"no_gradient"});
  // An accuracy for a loss.
  CHECK(diagnosed(mlp(1, "sigmoid"),
                  rate_of("adam",
                          [](const Tensor& y, const Tensor& p) {
                            return ops::mean(
                                ops::cast(ops::equal(ops::round(p), y), DType::float32), -1);
                          }),
                  p.x, p.binary()) == Ids{"no_gradient"});
  // A layer that is built, and whose result goes nowhere.
  class Unused : public SubclassedMlp {
   public:
    Unused() : SubclassedMlp(1, "linear") { track("unused", unused); }
    Tensor call(const Tensor& x, const Call& call) override {
      unused(x);
      return SubclassedMlp::call(x, call);
    }
    layers::Dense unused = layers::Dense({.units = 4});
  };
  Unused unused;
  CHECK(diagnosed(unused, for_regression(), p.x, p.regression()) == Ids{"no_gradient"});
  // Weights that are all 0 keep each other there.
  CHECK(diagnosed(
            Sequential(
                {layers::Dense({.units = 16, .activation = "tanh", .kernel_initializer = "zeros"}),
                 layers::Dense({.units = 1, .kernel_initializer = "zeros"})}),
            for_regression(), p.x, p.regression()) == Ids{"no_gradient"});
}

TEST_CASE("planted: gradients that vanish") {
  const Problem p;
  CHECK(diagnosed(*deep(16, "sigmoid", "glorot_uniform"), for_regression(), p.x, p.regression()) ==
        Ids{"gradient_vanishes"});
  CHECK(diagnosed(*deep(8, "tanh", initializers::RandomNormal({.stddev = 0.01})), for_regression(),
                  p.x, p.regression()) == Ids{"gradient_vanishes"});
  Input x({8});
  Tensor y = x;
  for (int i = 0; i < 14; ++i) y = layers::Dense({.units = 16, .activation = "sigmoid"})(y);
  Functional graph(x, layers::Dense({.units = 3, .activation = "softmax"})(y));
  CHECK(diagnosed(graph, for_classes(), p.x, p.classes()) == Ids{"gradient_vanishes"});
  const Pictures pictures;
  Sequential convolutions;
  for (int i = 0; i < 10; ++i)
    convolutions.add(layers::Conv2D(
        {.filters = 6, .kernel_size = 3, .padding = "same", .activation = "sigmoid"}));
  convolutions.add(layers::GlobalAveragePooling2D());
  convolutions.add(layers::Dense({.units = 4, .activation = "softmax"}));
  CHECK(diagnosed(convolutions, for_classes(), pictures.x(), pictures.y()) ==
        Ids{"gradient_vanishes"});
}

TEST_CASE("planted: gradients that explode") {
  const Problem p;
  CHECK(diagnosed(*deep(8, "linear", initializers::RandomNormal({.stddev = 1.5})), for_regression(),
                  p.x, p.regression()) == Ids{"gradient_explodes"});
  CHECK(diagnosed(*deep(5, "relu", initializers::RandomUniform({.minval = -3, .maxval = 3}), 64),
                  for_regression(), p.x, p.regression()) == Ids{"gradient_explodes"});
  CHECK(diagnosed(Sequential({layers::SimpleRNN({.units = 16,
                                                 .activation = "relu",
                                                 .recurrent_initializer =
                                                     initializers::RandomNormal({.stddev = 1})}),
                              layers::Dense({.units = 1})}),
                  for_regression(), ops::reshape(normal({128, 60}, 4), {128, 30, 2}),
                  take_rows(p.regression(), 0, 128)) == Ids{"gradient_explodes"});
  WithHidden grows([](const Tensor& h) { return ops::exp(h * Tensor(8.0)); });
  CHECK(diagnosed(grows, for_regression(), p.x, p.regression()) == Ids{"gradient_explodes"});
}

TEST_CASE("planted: learning rates that are too high") {
  // Of a few draws of weights a rate that is too high does no harm within the trial steps.
  const random::StillScope still;
  const Problem p;
  const Pictures pictures;
  CHECK(
      diagnosed(mlp(3, "softmax"),
                rate_of(optimizers::SGD({.learning_rate = 50}), "sparse_categorical_crossentropy"),
                p.x, p.classes()) == Ids{"learning_rate_high"});
  CHECK(diagnosed(functional_mlp(8, 1, "sigmoid"),
                  rate_of(optimizers::Adam({.learning_rate = 5}), "binary_crossentropy"), p.x,
                  p.binary()) == Ids{"learning_rate_high"});
  CHECK(diagnosed(
            convnet("softmax"),
            rate_of(optimizers::RMSprop({.learning_rate = 1}), "sparse_categorical_crossentropy"),
            pictures.x(), pictures.y()) == Ids{"learning_rate_high"});
  CHECK(diagnosed(SubclassedMlp(1, "linear"),
                  rate_of(optimizers::SGD({.learning_rate = 2, .momentum = 0.9})), p.x,
                  p.regression()) == Ids{"learning_rate_high"});
  CHECK(diagnosed(Sequential({layers::LSTM({.units = 16}), layers::Dense({.units = 1})}),
                  rate_of(optimizers::Adam({.learning_rate = 2})), ops::reshape(p.x, {256, 4, 2}),
                  p.regression()) == Ids{"learning_rate_high"});
  CHECK(diagnosed(mlp(1, "linear"), rate_of(optimizers::AdamW({.learning_rate = 0.5})), p.x,
                  p.regression()) == Ids{"learning_rate_high"});
  CHECK(
      diagnosed(functional_mlp(8, 3, "softmax"),
                rate_of(optimizers::Adam({.learning_rate = 2}), "sparse_categorical_crossentropy"),
                p.x, p.classes()) == Ids{"learning_rate_high"});
  CHECK(diagnosed(mlp(1, "linear"), rate_of(optimizers::SGD({.learning_rate = 1})), p.x,
                  p.regression()) == Ids{"learning_rate_high"});
  CHECK(
      diagnosed(mlp(1, "linear"),
                rate_of(optimizers::Adam(
                    {.learning_rate = optimizers::schedules::ExponentialDecay(
                         {.initial_learning_rate = 5.0, .decay_steps = 1000, .decay_rate = 0.9})})),
                p.x, p.regression()) == Ids{"learning_rate_high"});
}

TEST_CASE("planted: learning rates that are too low") {
  const Problem p;
  const Pictures pictures;
  CHECK(diagnosed(
            mlp(3, "softmax"),
            rate_of(optimizers::Adam({.learning_rate = 1e-8}), "sparse_categorical_crossentropy"),
            p.x, p.classes()) == Ids{"learning_rate_low"});
  CHECK(diagnosed(
            convnet("softmax"),
            rate_of(optimizers::SGD({.learning_rate = 1e-7}), "sparse_categorical_crossentropy"),
            pictures.x(), pictures.y()) == Ids{"learning_rate_low"});
  CHECK(diagnosed(SubclassedMlp(1, "linear"), rate_of(optimizers::RMSprop({.learning_rate = 1e-9})),
                  p.x, p.regression()) == Ids{"learning_rate_low"});
  CHECK(diagnosed(functional_mlp(8, 1, "sigmoid"),
                  rate_of(optimizers::SGD({.learning_rate = 0}), "binary_crossentropy"), p.x,
                  p.binary()) == Ids{"learning_rate_low"});
  // A decay from what is nothing already.
  CHECK(
      diagnosed(mlp(1, "linear"),
                rate_of(optimizers::Adam(
                    {.learning_rate = optimizers::schedules::ExponentialDecay(
                         {.initial_learning_rate = 1e-9, .decay_steps = 100, .decay_rate = 0.9})})),
                p.x, p.regression()) == Ids{"learning_rate_low"});
}

}  // namespace planted_training_test
