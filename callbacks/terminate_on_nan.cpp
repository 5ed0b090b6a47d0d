// TerminateOnNaN's check.
#include "terminate_on_nan.h"

#include <fmt/core.h>

#include <cmath>
#include <iostream>

#include "../framework/model/model.h"

namespace cornu::callbacks {

void TerminateOnNaNCallback::on_train_begin(Logs&) {
  history_.clear();
  report_.reset();
}

void TerminateOnNaNCallback::before_step(Model& model, const Batch& batch, int64_t step) {
  history_.keep(model, batch, step);
}

void TerminateOnNaNCallback::on_train_batch_end(int64_t batch, Logs& logs) {
  const auto loss = logs.find("loss");
  if (loss == logs.end() || std::isfinite(loss->second)) return;
  std::string where;
  if (config.locate) {
    report_ = history_.locate(*model());
    where = report_
                ? "\n" + report_->str()
                : "\nThe step gives finite numbers when it is taken again, operation by operation.";
  }
  if (config.raise_error)
    throw StateError(fmt::format(
        "TerminateOnNaN: the loss is {} at batch {}. A lower learning rate or clipped gradients "
        "may help.{}",
        loss->second, batch, where));
  std::cout << "\nBatch " << batch << ": invalid loss, terminating training" << where << std::endl;
  model()->stop_training = true;
}

}  // namespace cornu::callbacks
