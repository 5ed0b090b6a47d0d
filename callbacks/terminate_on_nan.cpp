// TerminateOnNaN's check.
#include "terminate_on_nan.h"

#include <fmt/core.h>

#include <cmath>
#include <iostream>

#include "../framework/model/model.h"

namespace cornu::callbacks {

void TerminateOnNaNCallback::on_train_batch_end(int64_t batch, Logs& logs) {
  const auto loss = logs.find("loss");
  if (loss == logs.end() || std::isfinite(loss->second)) return;
  if (config.raise_error)
    throw StateError(fmt::format(
        "TerminateOnNaN: the loss is {} at batch {}. A lower learning rate or clipped gradients "
        "may help.",
        loss->second, batch));
  std::cout << "\nBatch " << batch << ": invalid loss, terminating training" << std::endl;
  model()->stop_training = true;
}

}  // namespace cornu::callbacks
