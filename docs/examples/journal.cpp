// The program of docs/journal.md.
#include <cornu/cornu.h>
#include <cornu/framework/model/journal.h>
#include <cornu/framework/model/step_replay.h>

#include <filesystem>
#include <iostream>

using namespace cornu;

namespace {

std::shared_ptr<Model> make_model() {
  auto model = make<Sequential>(std::vector<AnyLayer>{
      layers::Dense({.units = 16, .activation = "relu"}), layers::Dense({.units = 1})});
  model->compile({.optimizer = "adam", .loss = "mse"});
  return model;
}

}  // namespace

int main() {
  std::filesystem::remove_all("runs");
  std::filesystem::create_directories("runs/first");
  const auto [x, y] = datasets::gaussians(1000);
  {
    const auto kept = make_model();
    Model& model = *kept;
    model.fit(x, y, {.epochs = 100, .journal = "runs/first/journal"});
  }
  const auto again = make_model();
  Model& model = *again;
  StepReplay step = model.replay(1234, x, y, {.epochs = 100, .journal = "runs/first/journal"});
  if (!step.exact()) return 1;
  for (const auto& [layer, output] : step.activations)
    std::cout << layer << " " << output.shape().str() << "\n";
  for (const auto& [weight, gradient] : step.gradients)
    std::cout << weight << " " << ops::norm(gradient).item() << "\n";
  step.save("step.npz");
  if (JournalReader("runs/first/journal").size() != 3200) return 1;
  model.fit(x, y,
            {.verbose = Verbose::silent,
             .journal = JournalOptions{
                 .folder = "runs/first/journal", .keep = 64, .time_fraction = 0.005}});
  std::filesystem::remove_all("runs");
}
