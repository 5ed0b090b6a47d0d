// The steps of a plan by layer.
#include "cost.h"

#include <cornu/framework/compile/function.h>

#include <algorithm>
#include <map>

namespace cornu::cli {

Cost cost_of(Model& model, const Nest& inputs) {
  Function predict([&](const Nest& x) { return model(x, {.training = false}); },
                   {.name = "predict", .argument_names = {"x"}});
  const Function::Profile profile = predict.profile(inputs, 5);
  Cost cost;
  std::map<std::string, double> seconds;
  for (const Function::Timing& step : profile.steps) {
    seconds[step.where.empty() ? "(no layer)" : step.where] += step.seconds;
    cost.seconds += step.seconds;
  }
  for (const auto& [layer, time] : seconds) cost.layers.push_back({layer, time});
  std::stable_sort(cost.layers.begin(), cost.layers.end(),
                   [](const LayerTime& a, const LayerTime& b) { return a.seconds > b.seconds; });
  for (const Variable& v : model.weights())
    cost.weight_bytes += static_cast<double>(v.value().bytes());
  cost.batch_bytes = static_cast<double>(profile.arena_bytes);
  const Tensor first = inputs.flatten().at(0);
  cost.batch_size = first.rank() > 0 ? first.shape()[0] : 1;
  return cost;
}

}  // namespace cornu::cli
