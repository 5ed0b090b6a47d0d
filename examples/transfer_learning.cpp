// Transfer learning from a file of Keras: a network that Python's Keras trained on clean images of
// digits (tools/data/make_digits_model.py) learns those of a bad camera from a hundred of them.
// First a new head on the frozen base is trained, then all of it, slowly. Usage:
// example_transfer_learning [FILE]. Prints the accuracy after each stage, and that of the same
// network trained from scratch; exit status 1 unless the file helped.
#include <cornu/cornu.h>

#include <cstdio>
#include <string>

using namespace cornu;

// The images as a bad camera gives them: gray and noisy.
datasets::Data photographed(const datasets::Data& data, int64_t seed) {
  return {0.4 * data.x + random::normal(data.x.shape(), 0.3, 0.1, seed), data.y};
}

// Compiles for each stage, so that its optimizer begins anew; set_trainable alone counts from the
// next step on.
void train(Model& model, double learning_rate, const datasets::Data& data) {
  model.compile({.optimizer = optimizers::Adam({.learning_rate = learning_rate}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  model.fit(data.x, data.y, {.batch_size = 16, .epochs = 60, .verbose = Verbose::silent});
}

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "examples/data/digits.keras";
  random::set_seed(1);
  const datasets::Split digits = datasets::digits();
  const datasets::Data all = photographed(digits.train, 1), test = photographed(digits.test, 2);
  const datasets::Data few = {take_rows(all.x, 0, 100), take_rows(all.y, 0, 100)};
  const auto accuracy = [&](Model& model, const char* stage) {
    const Logs logs = model.evaluate(test.x, test.y, {.verbose = Verbose::silent});
    std::printf("%-27s test accuracy %.3f\n", stage, logs.at("accuracy"));
    return logs.at("accuracy");
  };

  // The network of the file without its last layer, and a new one in its place.
  const auto base = std::dynamic_pointer_cast<Sequential>(load_model(file, false));
  base->pop();
  base->set_trainable(false);
  Sequential model({base, layers::Dense({.units = 10})});
  train(model, 1e-2, few);
  model.summary();
  accuracy(model, "new head, frozen base:");

  base->set_trainable(true);
  train(model, 1e-3, few);
  const double tuned = accuracy(model, "all of it, fine-tuned:");

  const auto scratch = model_from_json(model.to_json());
  train(*scratch, 3e-3, few);
  const double fresh = accuracy(*scratch, "the same from scratch:");
  return tuned > fresh + 0.03 ? 0 : 1;
}
