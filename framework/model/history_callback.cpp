// What an epoch adds to the history.
#include "history_callback.h"

#include <algorithm>

namespace cornu {

void detail::add_epoch(History& history, int64_t epoch, const Logs& logs, bool validated) {
  history.epoch.push_back(epoch);
  if (validated) history.validated.push_back(epoch);
  for (const auto& [name, value] : logs) {
    history.history[name].push_back(value);
    if (logs.is_array(name)) history.arrays[name].push_back(logs.array(name));
  }
}

void HistoryCallback::on_epoch_end(int64_t epoch, Logs& logs) {
  // In a loop of one's own the figures alone tell of a validation.
  const bool validated = std::any_of(
      logs.begin(), logs.end(), [](const auto& entry) { return entry.first.starts_with("val_"); });
  detail::add_epoch(history_, epoch, logs, validated);
}

}  // namespace cornu
