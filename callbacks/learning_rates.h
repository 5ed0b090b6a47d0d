// Which learning rates callbacks set and log.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "../framework/base/logs.h"
#include "../framework/base/optimizer.h"

namespace cornu {
class Model;
}

namespace cornu::callbacks {

/// An optimizer with a learning rate of its own.
struct RatedOptimizer {
  std::shared_ptr<Optimizer> optimizer;  ///< never null
  /// Empty of one alone; of several the optimizer's name, with "_1" and so on behind those that
  /// others have too.
  std::string name;
};

/// The optimizer of the model, or those that it is made of; none of a model that was not compiled.
std::vector<RatedOptimizer> rated_optimizers(const Model& model);
/// Adds their rates: as "learning_rate", or of several as "learning_rate_" with the names.
void log_learning_rates(const Model& model, Logs& logs);

}  // namespace cornu::callbacks
