// Finding the averages, and swapping.
#include "swap_ema_weights.h"

#include <fmt/core.h>

#include "../framework/base/loss_scaling.h"
#include "../framework/model/model.h"
#include "callback_state.h"

namespace cornu::callbacks {

std::vector<std::pair<Variable, Variable>> SwapEMAWeightsCallback::pairs() const {
  const Optimizer* optimizer = model()->optimizer().get();
  if (const auto* scaling = dynamic_cast<const LossScaling*>(optimizer))
    optimizer = scaling->inner_optimizer().get();
  if (!optimizer || !optimizer->options().use_ema)
    throw ValueError(
        "SwapEMAWeights needs an optimizer that keeps averages: compile with .use_ema = true.");
  // None where nothing was averaged yet.
  return optimizer->averages();
}

void SwapEMAWeightsCallback::put_in(bool averages) {
  // Within an epoch's end of swap_on_epoch they are in already.
  if (averages == averages_in_model_) return;
  for (const auto& [weight, average] : pairs()) {
    const Tensor before = weight.value();
    weight.assign(average.value());
    average.assign(before);
  }
  averages_in_model_ = averages;
}

void SwapEMAWeightsCallback::on_epoch_begin(int64_t, Logs&) {
  if (config.swap_on_epoch) put_in(false);
}

void SwapEMAWeightsCallback::on_epoch_end(int64_t epoch, Logs&) {
  if (!config.swap_on_epoch) return;
  put_in(true);
  // At the end of fit the averages overwrite the weights: those of the optimizer, so it gets them
  // back.
  if (epoch == params().epochs - 1)
    for (const auto& [weight, average] : pairs()) average.assign(weight.value());
}

void SwapEMAWeightsCallback::set_state(const Value::Dict& state) {
  averages_in_model_ = state_entry<bool>(state, "averages_in_model");
}

}  // namespace cornu::callbacks
