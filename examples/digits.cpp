// Trains a small convolutional network on handwritten digits, saves it, and checks that the file
// gives the same predictions. Usage: example_digits [--epochs N]. Exit status: 0 when the file
// predicts the same, 1 when it does not or something failed, 2 for other arguments.
#include <cornu/cornu.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

using namespace cornu;

namespace {

constexpr const char* model_file = "out/digits.keras";
constexpr const char* history_file = "out/history.csv";

int64_t epochs_from(int argc, char** argv) {
  if (argc == 1) return 40;
  char* end = nullptr;
  const int64_t epochs = argc == 3 ? std::strtoll(argv[2], &end, 10) : 0;
  if (epochs < 1 || *end != 0 || std::strcmp(argv[1], "--epochs") != 0) {
    std::fprintf(stderr, "usage: %s [--epochs N]\n", argv[0]);
    std::exit(2);
  }
  return epochs;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  const auto x = a.values<float>(), y = b.values<float>();
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) largest = std::max<double>(largest, std::abs(x[i] - y[i]));
  return largest;
}

// Whether the file predicts what the model does.
bool run(int64_t epochs) {
  random::set_seed(1);  // the same numbers in every run
  const auto [train, test] = datasets::digits();

  Sequential model({
      Input({8, 8, 1}),
      layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
      layers::MaxPooling2D(),
      layers::Flatten(),
      layers::Dropout({.rate = 0.5}),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 5e-3}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  model.summary();
  model.fit(train.x, train.y,
            {.batch_size = 64,
             .epochs = epochs,
             .callbacks = {callbacks::CSVLogger({.filename = history_file})},
             .validation_data = {test.x, test.y}});

  const Logs result = model.evaluate(test.x, test.y, {.verbose = Verbose::silent});
  std::printf("test accuracy %.4f, test loss %.4f\n", result.at("accuracy"), result.at("loss"));

  std::filesystem::create_directories("out");
  model.save(model_file);
  const auto loaded = load_model(model_file);
  const PredictOptions silent{.verbose = Verbose::silent};
  const double difference =
      largest_difference(model.predict(test.x, silent), loaded->predict(test.x, silent));
  std::printf("saved to %s, the figures of each epoch are in %s\n", model_file, history_file);
  std::printf("largest difference between the predictions of the model and of its file: %g\n",
              difference);
  return difference == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t epochs = epochs_from(argc, argv);
  try {
    if (run(epochs)) return 0;
    std::fprintf(stderr, "%s: the file does not predict the same as the model\n", argv[0]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
  }
  return 1;
}
