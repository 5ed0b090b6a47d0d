// The program of docs/getting-started.md.
#include <cornu/cornu.h>

#include <cstdio>

using namespace cornu;

int main() {
  // 1. Data: tensors whose first axis is the samples.
  const auto [train, test] = datasets::digits();

  // 2. A model.
  Sequential model({
      Input({8, 8, 1}),
      layers::Conv2D({.filters = 16, .kernel_size = 3, .activation = "relu"}),
      layers::Flatten(),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
  model.summary();

  // 3. How to train it.
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 2e-3}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  const History history = model.fit(train.x, train.y, {.epochs = 3, .validation_split = 0.1});
  std::printf("validation accuracy by epoch:");
  for (double accuracy : history["val_accuracy"]) std::printf(" %.3f", accuracy);
  std::printf("\n");

  // 4. What it does on data that it has not seen.
  const Logs result = model.evaluate(test.x, test.y);
  std::printf("test accuracy: %.3f\n", result.at("accuracy"));
  const Tensor probabilities = model.predict(test.x);
  std::printf("first digit: predicted %d, is %d\n",
              static_cast<int>(ops::argmax(probabilities, -1)[0].item()),
              static_cast<int>(test.y[0].item()));

  // 5. The same training, step by step.
  const auto optimizer = optimizers::Adam({.learning_rate = 1e-4});
  const losses::SparseCategoricalCrossentropy loss_of;
  const std::vector<Variable> weights = model.trainable_variables();
  for (int step = 0; step < 10; ++step) {
    GradientTape tape;
    const Tensor loss = loss_of(train.y, model(train.x, {.training = true}));
    optimizer->apply(tape.gradient(loss, weights), weights);
    if (step % 5 == 0) std::printf("step %d: loss %.4f\n", step, loss.item());
  }
}
