// Who is called, and who threw.
#include "callback_list.h"

#include <fmt/core.h>

#include "../../backend/log.h"

namespace cornu {

CallbackList::CallbackList(Callbacks callbacks, Model& model, const TrainingParams& params)
    : model_(&model), params_(params) {
  for (auto& callback : callbacks) append(std::move(callback));
}

void CallbackList::append(std::shared_ptr<Callback> callback) {
  if (!callback) throw ValueError("callbacks: one of them is empty.");
  callback->set_model(model_);
  callback->set_params(params_);
  wants_logs_ |= callback->wants_batch_logs();
  list_.push_back(std::move(callback));
}

std::string CallbackList::where(const Callback& callback, const char* hook) {
  return fmt::format("Callback {}, {}", callback.name(), hook);
}

void CallbackList::say(const Callback& callback, const char* hook) {
  warn_once(where(callback, hook) + ": it threw an exception, which ends the run.");
}

}  // namespace cornu
