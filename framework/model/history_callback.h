// HistoryCallback: the figures of all epochs, in loops of one's own.
#pragma once
#include "arguments.h"

namespace cornu {

namespace detail {
/// Adds an epoch and its figures, behind which there was a validation or not.
void add_epoch(History& history, int64_t epoch, const Logs& logs, bool validated);
}  // namespace detail

/// Keeps what fit returns as its History: the number of each epoch and its figures by name.
class HistoryCallback : public Callback {
 public:
  void on_train_begin(Logs&) override { history_ = {}; }
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  bool looks_on() const override { return true; }
  const History& history() const { return history_; }  ///< of the epochs so far

 private:
  History history_;
};

}  // namespace cornu
