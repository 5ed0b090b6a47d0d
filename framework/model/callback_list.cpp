// Who is called, and who threw.
#include "callback_list.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../backend/log.h"
#include "progbar_callback.h"

namespace cornu {

namespace {

// The first callback of this class in the list; null when there is none.
template <class T>
std::shared_ptr<T> find(const Callbacks& list) {
  for (const auto& callback : list)
    if (auto found = std::dynamic_pointer_cast<T>(callback)) return found;
  return nullptr;
}

}  // namespace

CallbackList::CallbackList(Callbacks callbacks, Model& model, const TrainingParams& params)
    : CallbackList(std::move(callbacks), CallbackListOptions{.model = &model, .params = params}) {}

CallbackList::CallbackList(Callbacks callbacks, const CallbackListOptions& options)
    : model_(options.model), params_(options.params) {
  for (auto& callback : callbacks) append(std::move(callback));
  history_ = find<HistoryCallback>(list_);
  if (!history_ && options.add_history) {
    history_ = std::make_shared<HistoryCallback>();
    append(history_);
  }
  if (options.add_progbar && !find<ProgbarCallback>(list_))
    append(std::make_shared<ProgbarCallback>());
}

void CallbackList::set_model(Model* model) {
  model_ = model;
  for (const auto& callback : list_) callback->set_model(model);
}

void CallbackList::set_params(const TrainingParams& params) {
  params_ = params;
  for (const auto& callback : list_) callback->set_params(params);
}

const History& CallbackList::history() const {
  if (!history_)
    throw StateError("CallbackList: it keeps no history; make it with {.add_history = true}.");
  return history_->history();
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
