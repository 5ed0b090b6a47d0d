// EarlyStopping's counting of epochs.
#include "early_stopping.h"

#include <iostream>

#include "../framework/model/model.h"
#include "callback_state.h"

namespace cornu::callbacks {

EarlyStoppingCallback::EarlyStoppingCallback(Config c)
    : config(std::move(c)),
      monitor_("EarlyStopping", config.monitor, config.mode, config.min_delta) {}

void EarlyStoppingCallback::on_train_begin(Logs&) {
  wait_ = stopped_epoch_ = best_epoch_ = 0;
  best_.reset();
  best_weights_.clear();
  has_weights_ = false;
}

Value::Dict EarlyStoppingCallback::get_state() const {
  return {{"wait", wait_}, {"stopped_epoch", stopped_epoch_}, {"best_epoch", best_epoch_},
          {"best", best_}, {"has_weights", has_weights_},     {"weights", best_weights_}};
}

void EarlyStoppingCallback::set_state(const Value::Dict& state) {
  wait_ = state_entry<int64_t>(state, "wait");
  stopped_epoch_ = state_entry<int64_t>(state, "stopped_epoch");
  best_epoch_ = state_entry<int64_t>(state, "best_epoch");
  best_ = state_entry<std::optional<double>>(state, "best");
  has_weights_ = state_entry<bool>(state, "has_weights");
  best_weights_ = state_tensors(state, "weights");
}

void EarlyStoppingCallback::keep_weights(int64_t epoch) {
  best_epoch_ = epoch;
  if (!config.restore_best_weights) return;
  best_weights_ = model()->get_weights();
  has_weights_ = true;
}

void EarlyStoppingCallback::on_epoch_end(int64_t epoch, Logs& logs) {
  const std::optional<double> current = monitor_.find(logs);
  if (!current || epoch < config.start_from_epoch) return;
  // The first weights are the best until there are better ones, even when the figure is NaN.
  if (config.restore_best_weights && !has_weights_) keep_weights(epoch);
  ++wait_;
  if (monitor_.improves(*current, best_, model())) {
    best_ = current;
    keep_weights(epoch);
    // Patience begins anew only when the baseline is beaten too.
    if (monitor_.improves(*current, config.baseline, model())) wait_ = 0;
    return;
  }
  if (wait_ >= config.patience && epoch > 0) {
    stopped_epoch_ = epoch;
    model()->stop_training = true;
  }
}

void EarlyStoppingCallback::on_train_end(Logs&) {
  if (stopped_epoch_ > 0 && config.verbose > 0)
    std::cout << "Epoch " << stopped_epoch_ + 1 << ": early stopping" << std::endl;
  if (!has_weights_) return;
  if (config.verbose > 0)
    std::cout << "Restoring the weights of the best epoch: " << best_epoch_ + 1 << "." << std::endl;
  model()->set_weights(best_weights_);
}

}  // namespace cornu::callbacks
