// LearningRateScheduler's hooks.
#include "learning_rate_scheduler.h"

#include <iostream>

#include "../framework/model/model.h"

namespace cornu::callbacks {

void LearningRateSchedulerCallback::on_epoch_begin(int64_t epoch, Logs&) {
  Optimizer& optimizer = *model()->optimizer();
  const double rate = (*config.schedule)(epoch, optimizer.learning_rate());
  optimizer.set_learning_rate(rate);
  if (config.verbose > 0)
    std::cout << "\nEpoch " << epoch + 1 << ": LearningRateScheduler setting learning rate to "
              << rate << "." << std::endl;
}

void LearningRateSchedulerCallback::on_epoch_end(int64_t, Logs& logs) {
  logs["learning_rate"] = model()->optimizer()->learning_rate();
}

}  // namespace cornu::callbacks
