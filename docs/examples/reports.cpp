// What docs/reports.md shows: a model's picture, training curves, and a folder for cornu report.
#include <cornu/cornu.h>

#include <filesystem>
#include <fstream>

using namespace cornu;

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "cornu-docs-run";
  std::filesystem::create_directories(folder);

  auto [train, test] = datasets::digits();
  Sequential model({
      Input({8, 8, 1}),
      layers::Conv2D({.filters = 16, .kernel_size = 3, .activation = "relu"}),
      layers::MaxPooling2D(),
      layers::Flatten(),
      layers::Dense({.units = 10, .activation = "softmax"}),
  });
  plot_model(model, (folder / "model.svg").string(),
             {.show_shapes = true, .show_layer_names = true, .show_layer_activations = true});

  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  const History history = model.fit(
      train.x, train.y,
      {.epochs = 5,
       .callbacks = {callbacks::CSVLogger({.filename = (folder / "history.csv").string()})},
       .validation_data = {test.x, test.y}});
  history.plot((folder / "curves.svg").string());

  model.save((folder / "model.keras").string());
  std::ofstream(folder / "run.json") << R"({"data": "digits", "batch_size": 32})";
  // cornu report /tmp/cornu-docs-run -o report.html
}
