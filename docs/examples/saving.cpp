// The program of docs/saving.md.
#include <cornu/cornu.h>

#include <cstdio>
#include <filesystem>

using namespace cornu;

struct ScaleConfig {
  Required<double> factor;
};

class ScaleLayer : public LayerOf<ScaleLayer, ScaleConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override { return x * Tensor(*config.factor); }
};
using Scale = Ref<ScaleLayer>;
CORNU_REGISTER("docs>Scale", ScaleLayer);

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "cornu-docs-saving";
  std::filesystem::create_directories(folder);
  const std::string file = folder / "model.keras", weights = folder / "model.weights.h5";

  Sequential model({Input({20}), Scale({.factor = 0.5}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse"});
  const auto data = datasets::gaussians(256);
  model.fit(data.x, data.y, {.epochs = 2, .verbose = Verbose::silent});

  // The whole model: architecture, weights, and what training needs.
  model.save(file);
  const auto loaded = load_model(file);
  const PredictOptions silent{.verbose = Verbose::silent};
  const Tensor before = model.predict(data.x, silent), after = loaded->predict(data.x, silent);
  std::printf("same predictions: %s\n", ops::allclose(before, after, 0, 0).item() ? "yes" : "no");
  loaded->fit(data.x, data.y,
              {.epochs = 1, .verbose = Verbose::silent});  // goes on where it stopped

  // The weights alone, into a model made by code.
  model.save_weights(weights);
  Sequential twin({Input({20}), Scale({.factor = 0.5}), layers::Dense({.units = 1})});
  twin.load_weights(weights);

  // The architecture alone.
  const auto fresh = model_from_json(model.to_json());
  std::printf("%lld parameters\n", static_cast<long long>(fresh->count_params()));

  // What does not fit is said, and nothing is changed.
  Sequential other({Input({20}), layers::Dense({.units = 2})});
  try {
    other.load_weights(weights);
  } catch (const FileError& e) {
    std::printf("%s\n", e.what());
  }
  std::filesystem::remove_all(folder);
}
