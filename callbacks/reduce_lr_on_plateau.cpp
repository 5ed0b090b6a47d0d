// ReduceLROnPlateau's counting of epochs.
#include "reduce_lr_on_plateau.h"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>

#include "../framework/model/model.h"
#include "callback_state.h"
#include "learning_rates.h"

namespace cornu::callbacks {

ReduceLROnPlateauCallback::ReduceLROnPlateauCallback(Config c)
    : config(std::move(c)),
      monitor_("ReduceLROnPlateau", config.monitor, config.mode, config.min_delta) {
  if (!(config.factor < 1))
    throw ValueError(
        fmt::format("ReduceLROnPlateau: factor must be less than 1, found {}.", config.factor));
}

void ReduceLROnPlateauCallback::on_train_begin(Logs&) {
  best_.reset();
  wait_ = cooldown_left_ = 0;
}

Value::Dict ReduceLROnPlateauCallback::get_state() const {
  return {{"best", best_}, {"wait", wait_}, {"cooldown_left", cooldown_left_}};
}

void ReduceLROnPlateauCallback::set_state(const Value::Dict& state) {
  best_ = state_entry<std::optional<double>>(state, "best");
  wait_ = state_entry<int64_t>(state, "wait");
  cooldown_left_ = state_entry<int64_t>(state, "cooldown_left");
}

void ReduceLROnPlateauCallback::on_epoch_end(int64_t epoch, Logs& logs) {
  const std::optional<double> current = monitor_.find(logs);
  log_learning_rates(*model(), logs);
  if (!current) return;
  if (cooldown_left_ > 0) {
    --cooldown_left_;
    wait_ = 0;
  }
  if (monitor_.improves(*current, best_, model())) {
    best_ = current;
    wait_ = 0;
  } else if (cooldown_left_ == 0 && ++wait_ >= config.patience) {
    reduce(epoch);
  }
}

void ReduceLROnPlateauCallback::reduce(int64_t epoch) {
  bool reduced = false;
  for (const auto& [optimizer, name] : rated_optimizers(*model())) {
    const double old = optimizer->learning_rate();
    // The optimizer keeps its rate as float32.
    if (old <= static_cast<double>(static_cast<float>(config.min_lr))) continue;
    const double rate = std::max(old * config.factor, config.min_lr);
    optimizer->set_learning_rate(rate);
    reduced = true;
    if (config.verbose > 0)
      std::cout << fmt::format("\nEpoch {}: ReduceLROnPlateau reducing {}{}learning rate to {}.",
                               epoch + 1, name, name.empty() ? "" : " ", rate)
                << std::endl;
  }
  if (!reduced) return;
  cooldown_left_ = config.cooldown;
  wait_ = 0;
}

}  // namespace cornu::callbacks
