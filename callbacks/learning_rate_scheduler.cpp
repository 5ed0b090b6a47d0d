// LearningRateScheduler's hooks.
#include "learning_rate_scheduler.h"

#include <iostream>

#include "../framework/model/model.h"
#include "learning_rates.h"

namespace cornu::callbacks {

void LearningRateSchedulerCallback::on_epoch_begin(int64_t epoch, Logs&) {
  for (const auto& [optimizer, name] : rated_optimizers(*model())) {
    const double rate = (*config.schedule)(epoch, optimizer->learning_rate());
    optimizer->set_learning_rate(rate);
    if (config.verbose > 0)
      std::cout << "\nEpoch " << epoch + 1 << ": LearningRateScheduler setting " << name
                << (name.empty() ? "" : " ") << "learning rate to " << rate << "." << std::endl;
  }
}

void LearningRateSchedulerCallback::on_epoch_end(int64_t, Logs& logs) {
  log_learning_rates(*model(), logs);
}

}  // namespace cornu::callbacks
