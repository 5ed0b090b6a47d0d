// ProgbarCallback: the progress bar of fit as a callback.
#pragma once
#include <memory>

#include "progress_bar.h"

namespace cornu {

/// What fit, evaluate and predict print, as a callback for a CallbackList in a loop of one's own,
/// whose TrainingParams say how many epochs and steps there are and how much to print.
class ProgbarCallback : public Callback {
 public:
  void on_train_begin(Logs&) override { in_fit_ = true; }
  void on_train_end(Logs&) override;
  void on_epoch_begin(int64_t epoch, Logs&) override;
  void on_epoch_end(int64_t, Logs& logs) override { finish(logs); }
  void on_train_batch_end(int64_t batch, Logs& logs) override { update(batch, logs); }
  void on_test_begin(Logs&) override { begin_pass(); }
  void on_test_end(Logs& logs) override { end_pass(logs); }
  void on_test_batch_end(int64_t batch, Logs& logs) override {
    // A validation within fit is silent.
    if (!in_fit_) update(batch, logs);
  }
  void on_predict_begin(Logs&) override { begin_pass(); }
  void on_predict_end(Logs& logs) override { end_pass(logs); }
  void on_predict_batch_end(int64_t batch, Logs& logs) override { update(batch, logs); }
  bool looks_on() const override { return true; }

 private:
  void begin_pass();
  void end_pass(const Logs& logs);
  void update(int64_t batch, const Logs& logs);
  void finish(const Logs& logs);

  bool in_fit_ = false;
  std::unique_ptr<ProgressBar> bar_;
};

}  // namespace cornu
