// Finding the averages, and swapping.
#include "swap_ema_weights.h"

#include <fmt/core.h>

#include "../framework/base/loss_scaling.h"
#include "../framework/model/model.h"
#include "callback_state.h"

namespace cornu::callbacks {

std::vector<SwapEMAWeightsCallback::Pair> SwapEMAWeightsCallback::pairs() const {
  const Optimizer* optimizer = model()->optimizer().get();
  if (const auto* scaling = dynamic_cast<const LossScaling*>(optimizer))
    optimizer = scaling->inner_optimizer().get();
  if (!optimizer || !optimizer->options().use_ema)
    throw ValueError(
        "SwapEMAWeights needs an optimizer that keeps averages: compile with .use_ema = true.");
  std::vector<Pair> result;
  // Nothing was averaged yet.
  if (!optimizer->built()) return result;
  // In files, and in `variables`, the averages stand behind the iteration and the rate.
  const std::vector<Variable> all = optimizer->variables();
  size_t next = optimizer->options().learning_rate.is_schedule() ? 1 : 2;
  for (const Variable& weight : model()->trainable_variables())
    if (!weight.overwrite_with_gradient()) result.push_back({weight, all.at(next++)});
  return result;
}

void SwapEMAWeightsCallback::put_in(bool averages) {
  // Within an epoch's end of swap_on_epoch they are in already.
  if (averages == averages_in_model_) return;
  for (Pair& pair : pairs()) {
    const Tensor weight = pair.weight.value();
    pair.weight.assign(pair.average.value());
    pair.average.assign(weight);
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
    for (Pair& pair : pairs()) pair.average.assign(pair.weight.value());
}

void SwapEMAWeightsCallback::set_state(const Value::Dict& state) {
  averages_in_model_ = state_entry<bool>(state, "averages_in_model");
}

}  // namespace cornu::callbacks
