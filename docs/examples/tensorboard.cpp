// The program of docs/tensorboard.md. With a folder as its argument it leaves the files there.
#include <cornu/cornu.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

using namespace cornu;

// A model of one's own, which computes in its call.
class Residual : public Model {
 public:
  explicit Residual(int64_t units)
      : first_(track("first", dense(units, "first"))),
        second_(track("second", dense(units, "second"))),
        head_(track("head", layers::Dense({.units = 1, .name = "head"}))) {}
  Tensor call(const Tensor& x, const Call&) override {
    const Tensor a = first_(x);
    return head_(drop_(ops::gelu(second_(a) + a)));
  }

 private:
  static layers::Dense dense(int64_t units, const std::string& name) {
    return layers::Dense({.units = units, .activation = "relu", .name = name});
  }
  layers::Dense first_, second_, head_;
  layers::Dropout drop_ = track("drop", layers::Dropout({.rate = 0.1, .name = "drop"}));
};

// One run for each number of units, with what they were in its folder.
void compare_runs(const std::filesystem::path& folder) {
  const auto data = datasets::gaussians(2048);
  for (const int64_t units : {4, 16, 64}) {
    random::set_seed(1);
    const std::string run = folder / ("units-" + std::to_string(units));
    SummaryWriter writer(run);
    writer.hparams({{"units", units}, {"optimizer", "adam"}, {"learning_rate", 0.01}},
                   "units-" + std::to_string(units));
    writer.text("about", "A **residual** network of " + std::to_string(units) + " units");

    Residual model(units);
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                   .loss = "mse",
                   .metrics = {"mae"}});
    const History history =
        model.fit(data.x, data.y,
                  {.epochs = 8,
                   .verbose = Verbose::silent,
                   .callbacks = {callbacks::TensorBoard({.log_dir = run,
                                                         .histogram_freq = 1,
                                                         .write_steps_per_second = true,
                                                         .update_freq = 8,
                                                         .profile_batch = {100, 110}})},
                   .validation_split = 0.25});
    std::printf("%lld units: validation loss %.3f\n", static_cast<long long>(units),
                history.history.at("val_loss").back());
  }
}

// Figures, distributions and images of one's own, without a model.
void own_loop(const std::filesystem::path& folder) {
  SummaryWriter writer(folder / "own");
  for (int64_t step = 0; step < 20; ++step) {
    const Tensor noise = random::normal({1000}, 0.1 * static_cast<double>(step), 1.0, step);
    writer.scalar("mean", ops::mean(noise).item(), step);
    writer.histogram("noise", noise, step);
  }
  std::vector<float> waves;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) waves.push_back(0.5f + 0.5f * std::sin(0.004f * x * y));
  writer.image("waves", Tensor::from(waves, {1, 64, 64, 1}), 0);
}

int main(int count, char** arguments) {
  const std::filesystem::path folder =
      count > 1 ? std::filesystem::path(arguments[1])
                : std::filesystem::temp_directory_path() / "cornu-docs-tensorboard";
  compare_runs(folder);
  own_loop(folder);
  if (count == 1) std::filesystem::remove_all(folder);
}
