// What an epoch adds to the history.
#include "history_callback.h"

#include <algorithm>

namespace cornu {

void HistoryCallback::on_epoch_end(int64_t epoch, Logs& logs) {
  history_.epoch.push_back(epoch);
  if (std::any_of(logs.begin(), logs.end(),
                  [](const auto& entry) { return entry.first.starts_with("val_"); }))
    history_.validated.push_back(epoch);
  for (const auto& [name, value] : logs) {
    history_.history[name].push_back(value);
    if (logs.is_array(name)) history_.arrays[name].push_back(logs.array(name));
  }
}

}  // namespace cornu
