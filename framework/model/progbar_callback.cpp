// The bar's life within runs.
#include "progbar_callback.h"

namespace cornu {

void ProgbarCallback::on_train_end(Logs&) {
  in_fit_ = false;
  bar_.reset();
}

void ProgbarCallback::on_epoch_begin(int64_t epoch, Logs&) {
  if (!bar_)
    bar_ = std::make_unique<ProgressBar>(static_cast<Verbose>(params().verbose), params().epochs);
  bar_->begin(epoch, params().steps);
}

void ProgbarCallback::begin_pass() {
  if (in_fit_) return;
  bar_ = std::make_unique<ProgressBar>(static_cast<Verbose>(params().verbose), 1);
  bar_->begin_pass(params().steps);
}

void ProgbarCallback::end_pass(const Logs& logs) {
  if (in_fit_) return;
  finish(logs);
  bar_.reset();
}

void ProgbarCallback::update(int64_t batch, const Logs& logs) {
  if (bar_ && bar_->due(batch + 1)) bar_->update(batch + 1, logs);
}

void ProgbarCallback::finish(const Logs& logs) {
  if (bar_) bar_->finish(logs);
}

}  // namespace cornu
