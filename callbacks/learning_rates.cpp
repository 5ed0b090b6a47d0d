// Finding the optimizers behind the one of the model.
#include "learning_rates.h"

#include <map>

#include "../framework/base/composite_optimizer.h"
#include "../framework/base/loss_scaling.h"
#include "../framework/model/model.h"

namespace cornu::callbacks {

std::vector<RatedOptimizer> rated_optimizers(const Model& model) {
  std::shared_ptr<Optimizer> optimizer = model.optimizer();
  if (!optimizer) return {};
  if (const auto* const scaling = dynamic_cast<const LossScaling*>(optimizer.get()))
    optimizer = scaling->inner_optimizer();
  const auto* const composite = dynamic_cast<const CompositeOptimizer*>(optimizer.get());
  if (!composite) return {{optimizer, ""}};
  std::vector<RatedOptimizer> result;
  std::map<std::string, int> uses;
  for (const auto& one : composite->optimizers()) {
    const int before = uses[one->name()]++;
    result.push_back({one, before == 0 ? one->name() : one->name() + "_" + std::to_string(before)});
  }
  return result;
}

void log_learning_rates(const Model& model, Logs& logs) {
  for (const auto& [optimizer, name] : rated_optimizers(model))
    logs[name.empty() ? "learning_rate" : "learning_rate_" + name] = optimizer->learning_rate();
}

}  // namespace cornu::callbacks
